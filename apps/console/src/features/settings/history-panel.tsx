import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Empty, Loaded, Note, Panel, Tag } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import { Checked } from "./checked.tsx";
import type { SettingsNow } from "./draft.ts";
import css from "./settings.module.css";

type Version = AnswerOf<"settingsVersions">["rows"][number];
const ROWS = 12;

/** Every version with who saved it and why, and the way back to it. */
export function HistoryPanel({ now, mayChange }: { readonly now: SettingsNow; readonly mayChange: boolean }) {
  const { t } = useText();
  const [after, setAfter] = useState<readonly string[]>([]);
  const [to, setTo] = useState<number>();
  const place = after.at(-1);
  const versions = useRead("settingsVersions", {
    query: { limit: ROWS, ...(place !== undefined && { after: place }) },
  });
  const next = versions.data?.next ?? null;
  const broken = versions.data?.rows.findLast(({ proven }) => !proven)?.number;
  return (
    <Panel title={t("settings.history")} about={t("settings.historyAbout")}>
      {broken !== undefined && (
        <div className={css["inset"]}>
          <Note kind="bad">{t("settings.broken", { number: broken })}</Note>
        </div>
      )}
      <Loaded of={versions}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t("settings.noHistory")} body={t("settings.noHistoryAbout")} />
          ) : (
            <ol className={css["past"]}>
              {rows.map((row) => (
                <Row key={row.number} row={row} now={now} mayChange={mayChange} rollBack={() => setTo(row.number)} />
              ))}
            </ol>
          )
        }
      </Loaded>
      {(next !== null || after.length > 0) && (
        <div className={css["keys"]} data-inset>
          <Key kind="line" disabled={after.length === 0} onClick={() => setAfter(after.slice(0, -1))}>
            {t("app.newer")}
          </Key>
          <Key kind="line" disabled={next === null} onClick={() => next !== null && setAfter([...after, next])}>
            {t("app.older")}
          </Key>
        </div>
      )}
      <FormSheet
        open={to !== undefined}
        title={to === undefined ? "" : t("settings.rollBackTo", { number: to })}
        onClose={() => setTo(undefined)}
      >
        {to !== undefined && <RollBack now={now} to={to} onClose={() => setTo(undefined)} />}
      </FormSheet>
    </Panel>
  );
}

function Row(props: {
  readonly row: Version;
  readonly now: SettingsNow;
  readonly mayChange: boolean;
  readonly rollBack: () => void;
}) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const online = useOnline();
  const { row, now, mayChange } = props;
  const what = row.changes.map(({ key }) => key).join(", ");
  return (
    <li>
      <time className="num" dateTime={row.at}>
        {whenText(row.at, clock.now(), venue.timeZone, language)}
      </time>
      <div>
        <b className="num">{row.number}</b> <span className="ltr">{what}</span>
        <small>
          {row.signedBy === null ? row.by : `${row.by}, ${row.signedBy}`} · <span dir="auto">{row.reason}</span>
          {row.rolledBackTo !== null && ` · ${t("settings.rolledBack", { number: row.rolledBackTo })}`}
        </small>
      </div>
      {!row.usable && <Tag kind="bad">{t("settings.unusable")}</Tag>}
      {row.number === now.holds && <Tag>{t("settings.now")}</Tag>}
      {mayChange && row.usable && row.number !== now.number && (
        <Key
          kind="bare"
          disabled={!online}
          aria-label={t("settings.rollBackTo", { number: row.number })}
          onClick={props.rollBack}
        >
          {t("settings.rollBack")}
        </Key>
      )}
    </li>
  );
}

function RollBack(props: { readonly now: SettingsNow; readonly to: number; readonly onClose: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  const [wanted] = useState(() => ({ expected: props.now.number, to: props.to }));
  const reason = reasonOf(text);
  async function send(): Promise<void> {
    const done = await run("rollBackSettings", {
      fields: { ...wanted, reason },
      summary: { title: t("settings.rollBackTo", { number: wanted.to }), lines: [] },
      reads: ["settings", "settingsVersions", "approvals"],
      said: t("settings.saved"),
    });
    if (done !== undefined) props.onClose();
  }
  return (
    <>
      <Checked call="rollBackSettings" fields={wanted} />
      <ReasonField value={text} onText={setText} />
      <ActKeys
        send={t("settings.rollBack")}
        busy={busy}
        disabled={reason === ""}
        onSend={() => void send()}
        onCancel={props.onClose}
      />
    </>
  );
}
