import { CAMPAIGN_PLAYERS_MAX } from "@longarm/contract/staff-campaigns";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { WantedAct } from "../../shared/acts.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline, useSkewMs } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { problemText } from "../../shared/problem-text.ts";
import { AmountField } from "../../shared/ui/amount-field.tsx";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { LongText } from "../../shared/ui/long-text.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { CAMPAIGN_READS } from "./campaign-acts.tsx";
import type { AudienceKind, Draft, Wrongs } from "./campaign-draft.ts";
import { AUDIENCES, draftOf, fieldsOf, namesIn, wrongsOf } from "./campaign-draft.ts";
import type { Campaign, Reach } from "./campaign-view.tsx";
import { ReachFacts } from "./campaign-view.tsx";
import css from "./promotions.module.css";

type SheetProps = {
  readonly open: boolean;
  /** What it begins with. */
  readonly from?: Campaign;
  /** It changes that draft; else it writes another one. */
  readonly changes?: boolean;
  readonly close: () => void;
};

/** The sheet in which a draft is written or changed. */
export function CampaignSheet({ open, from, changes = false, close }: SheetProps) {
  const { t } = useText();
  return (
    <FormSheet open={open} title={t(changes ? "promotions.changeOf" : "promotions.add")} onClose={close}>
      <CampaignForm from={from} changes={changes} close={close} />
    </FormSheet>
  );
}

type Put = (part: Partial<Draft>) => void;
type PartProps = { readonly draft: Draft; readonly put: Put; readonly wrongs: Wrongs };

function CampaignForm({
  from,
  changes,
  close,
}: Pick<SheetProps, "close"> & { from: Campaign | undefined; changes: boolean }) {
  const { t } = useText();
  const { clock } = useConsole();
  const { timeZone } = useMe().venue;
  const { busy, run } = useAct();
  const navigate = useNavigate();
  const skew = useSkewMs();
  const [now] = useState(() => clock.now() + skew);
  const [draft, setDraft] = useState(() => draftOf(from, { now, timeZone, keepTimes: changes }));
  const [text, setText] = useState("");
  const put: Put = (part) => setDraft({ ...draft, ...part });
  const wrongs = wrongsOf(draft, now, timeZone);
  const fields = fieldsOf(draft, now, timeZone);
  const reason = reasonOf(text);
  const part = { draft, put, wrongs };
  const call = changes ? "changeCampaign" : "addCampaign";
  const params: Readonly<Record<string, string>> = changes && from !== undefined ? { id: from.id } : {};
  async function send(): Promise<void> {
    if (fields === undefined) return;
    const answer = await run(call, {
      params,
      fields: { ...fields, reason },
      summary: { title: t("promotions.save"), lines: [[t("promotions.one"), fields.name]] },
      reads: CAMPAIGN_READS,
      said: t("promotions.saved"),
    });
    if (answer === undefined) return;
    close();
    if (answer.is === "done") void navigate({ to: `${paths.promotions}/${answer.result.id}` });
  }
  return (
    <>
      <p className="soft">{t("promotions.formAbout")}</p>
      <Field
        label={t("promotions.name")}
        note={t("promotions.nameNote")}
        value={draft.name}
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => put({ name: target.value })}
      />
      <Amounts {...part} />
      <AudienceFields {...part} />
      <fieldset className={css["span"]}>
        <legend>{t("promotions.runs")}</legend>
        <WallField label={t("promotions.from")} value={draft.startsAt} onWall={(startsAt) => put({ startsAt })} />
        <WallField
          label={t("promotions.until")}
          value={draft.endsAt}
          error={wrongs.endsAt && t(wrongs.endsAt)}
          onWall={(endsAt) => put({ endsAt })}
        />
      </fieldset>
      <ReasonField value={text} onText={setText} />
      <Preview call={call} params={params} fields={fields && { ...fields, reason: reason || "-" }} />
      <ActKeys
        send={t("promotions.save")}
        busy={busy}
        disabled={fields === undefined || reason === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

const DAYS = [1, 3, 7, 14, 30, 90];

function Amounts({ draft, put, wrongs }: PartProps) {
  const { t } = useText();
  const days = DAYS.includes(Number(draft.days)) ? DAYS : [...DAYS, Number(draft.days)].sort((a, b) => a - b);
  return (
    <>
      <div className={css["pair"]}>
        <AmountField label={t("promotions.each")} value={draft.amount} onText={(amount) => put({ amount })} />
        <AmountField label={t("promotions.budget")} value={draft.budget} onText={(budget) => put({ budget })} />
      </div>
      {wrongs.budget && <Note kind="bad">{t(wrongs.budget)}</Note>}
      <SelectField
        label={t("promotions.claimDays")}
        value={draft.days}
        onChange={(value) => put({ days: value })}
        choices={days.map((count) => [String(count), t("promotions.days", { count })])}
      />
    </>
  );
}

/** For whom: one of three kinds, each with its own fields. */
function AudienceFields({ draft, put, wrongs }: PartProps) {
  const { t } = useText();
  return (
    <fieldset className={css["span"]}>
      <legend>{t("promotions.who")}</legend>
      <Segment<AudienceKind>
        label={t("promotions.who")}
        value={draft.audience}
        onChange={(audience) => put({ audience })}
        options={AUDIENCES.map((value) => ({ value, label: t(`promotions.audience_${value}`) }))}
        className={css["whole"] ?? ""}
      />
      {draft.audience === "list" ? (
        <NamesField draft={draft} put={put} wrongs={wrongs} />
      ) : (
        <>
          <WallField label={t("promotions.from")} value={draft.from} onWall={(from) => put({ from })} />
          <WallField
            label={t("promotions.until")}
            value={draft.until}
            error={wrongs.until && t(wrongs.until)}
            onWall={(until) => put({ until })}
          />
        </>
      )}
      {draft.audience === "played" && <BrandField value={draft.brand} onBrand={(brand) => put({ brand })} />}
    </fieldset>
  );
}

function BrandField({ value, onBrand }: { readonly value: string; readonly onBrand: (brand: string) => void }) {
  const { t } = useText();
  const floor = useRead("floor", {}, useMay("floor.see"));
  const known = new Set([...(floor.data?.rows ?? []).map(({ brand }) => brand), ...(value === "" ? [] : [value])]);
  return (
    <div className={css["whole"]}>
      <SelectField
        label={t("promotions.brand")}
        value={value}
        onChange={onBrand}
        choices={[["", t("promotions.brandAny")], ...[...known].sort().map((brand) => [brand, brand] as const)]}
      />
    </div>
  );
}

function NamesField({ draft, put, wrongs }: PartProps) {
  const { t } = useText();
  const count = namesIn(draft.names).length;
  const note = wrongs.names
    ? t(wrongs.names, { count, max: CAMPAIGN_PLAYERS_MAX })
    : t("promotions.playersNote", { max: CAMPAIGN_PLAYERS_MAX });
  return (
    <div className={css["whole"]}>
      <LongText
        label={t("promotions.players")}
        note={note}
        rows={4}
        value={draft.names}
        wrong={wrongs.names !== undefined}
        ofNames
        onText={(names) => put({ names })}
      />
    </div>
  );
}

/** A day and a time by the venue's wall clock. */
function WallField(props: {
  readonly label: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onWall: (wall: string) => void;
}) {
  return (
    <Field
      type="datetime-local"
      label={props.label}
      value={props.value}
      error={props.error}
      onChange={({ target }) => props.onWall(target.value)}
    />
  );
}

type WrittenCall = "addCampaign" | "changeCampaign";
type Found = { readonly of: string; readonly reach?: Reach; readonly problem?: string };

/** The dry run: whom it would reach. What it says holds for the fields that were checked. */
function Preview(props: {
  readonly call: WrittenCall;
  readonly params: Readonly<Record<string, string>>;
  readonly fields: WantedAct<WrittenCall>["fields"] | undefined;
}) {
  const speech = useText();
  const { t } = speech;
  const { acts } = useConsole();
  const online = useOnline();
  const [busy, setBusy] = useState(false);
  const [found, setFound] = useState<Found>();
  const { call, params, fields } = props;
  const content = JSON.stringify(fields);
  async function check(): Promise<void> {
    if (fields === undefined) return;
    setBusy(true);
    const end = await acts.check(call, { params, fields }).finally(() => setBusy(false));
    if (end.is === "failed") setFound({ of: content, problem: problemText(speech, end.problem) });
    else if (end.is === "answered" && end.answer.is === "dryRun")
      setFound({ of: content, reach: end.answer.result.reach });
  }
  const shown = found?.of === content ? found : undefined;
  return (
    <>
      <div>
        <Key kind="line" busy={busy} disabled={fields === undefined || !online} onClick={() => void check()}>
          {t("promotions.preview")}
        </Key>
      </div>
      <div role="status">
        {shown?.problem !== undefined && <Note kind="bad">{shown.problem}</Note>}
        {shown?.reach !== undefined && (
          <section className={css["preview"]} aria-label={t("promotions.reach")}>
            <p className="plate">{t("promotions.reach")}</p>
            <ReachFacts reach={shown.reach} />
          </section>
        )}
      </div>
    </>
  );
}
