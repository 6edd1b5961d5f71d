import { IDENTITY_DECISIONS } from "@longarm/contract/player-identity";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useMe } from "../../shared/me.ts";
import { CheckFirst } from "../../shared/ui/check-first.tsx";
import { ActKeys } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";

type Decision = (typeof IDENTITY_DECISIONS)[number];
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const NUMBER = /^\d{6,20}$/;

/** What the person writes; empty texts are not sent, and stay as they are kept. */
const useDraft = () => {
  const [draft, setDraft] = useState({ birthDate: "", document: "", personalNumber: "", validUntil: "", reason: "" });
  return { draft, put: (field: keyof typeof draft, text: string) => setDraft({ ...draft, [field]: text }) };
};

/** A decision at the desk, with what was seen of the document. */
export function IdentityForm(props: {
  readonly player: AnswerOf<"player">["player"];
  readonly known: AnswerOf<"playerIdentity">;
  readonly close: () => void;
}) {
  const { t } = useText();
  const { venue } = useMe();
  const { busy, run } = useAct();
  const { player, known } = props;
  const [state, setState] = useState<Decision>("verified");
  const { draft, put } = useDraft();
  const reason = reasonOf(draft.reason);
  const number = draft.personalNumber.replaceAll(/[ .-]/g, "");
  const isNumberWrong = number !== "" && !NUMBER.test(number);
  const needsBirthDate = state === "verified" && known.age === null && !DAY.test(draft.birthDate);
  const fields = {
    state,
    ...(DAY.test(draft.birthDate) && { birthDate: draft.birthDate }),
    ...(draft.document.trim() !== "" && { document: draft.document.trim() }),
    ...(number !== "" && { personalNumber: number }),
    ...(state === "verified" && DAY.test(draft.validUntil) && { validUntil: draft.validUntil }),
    reason,
  };
  const isWhole = reason !== "" && !isNumberWrong && !needsBirthDate;
  const params = { id: player.id };
  async function send(): Promise<void> {
    const answer = await run("decideIdentity", {
      params,
      fields,
      summary: {
        title: t("identity.decide"),
        lines: [
          [t("players.one"), player.username],
          [t("identity.decision"), t(`identity.state_${state}`)],
          [t("app.reason"), reason],
        ],
      },
      reads: ["playerIdentity", "player", "approvals"],
      said: t("identity.decidedSaid"),
    });
    if (answer !== undefined) props.close();
  }
  return (
    <>
      <p className="soft">{t("identity.decideAbout")}</p>
      <SelectField<Decision>
        label={t("identity.decision")}
        note={t(`identity.about_${state}`)}
        value={state}
        onChange={setState}
        choices={IDENTITY_DECISIONS.map((one) => [one, t(`identity.state_${one}`)])}
      />
      <Field
        label={t("identity.birthDate")}
        type="date"
        min="1890-01-02"
        note={t(known.age === null ? "identity.birthDateNote" : "identity.birthDateStays")}
        value={draft.birthDate}
        onChange={({ target }) => put("birthDate", target.value)}
      />
      <Field
        label={t("identity.document")}
        note={t("identity.documentNote")}
        value={draft.document}
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => put("document", target.value)}
      />
      {state === "verified" && (
        <Field
          label={t("identity.validUntil")}
          type="date"
          note={t("identity.validUntilNote")}
          value={draft.validUntil}
          onChange={({ target }) => put("validUntil", target.value)}
        />
      )}
      <Field
        label={t("identity.personalNumber")}
        note={t("identity.personalNumberNote")}
        error={isNumberWrong ? t("identity.personalNumberWrong") : undefined}
        value={draft.personalNumber}
        maxLength={30}
        dir="ltr"
        autoComplete="off"
        inputMode="numeric"
        onChange={({ target }) => put("personalNumber", target.value)}
      />
      <ReasonField value={draft.reason} onText={(text) => put("reason", text)} />
      {venue.secondPerson && <Note>{t("identity.olderNote")}</Note>}
      <CheckFirst name="decideIdentity" params={params} fields={fields} disabled={!isWhole} />
      <ActKeys
        send={t("identity.decide")}
        busy={busy}
        disabled={!isWhole}
        onSend={() => void send()}
        onCancel={props.close}
      />
    </>
  );
}
