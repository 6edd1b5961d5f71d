import { DOCUMENT_KINDS, documentNumberForm, IDENTITY_DECISIONS } from "@longarm/contract/player-identity";
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
const COUNTRY = /^[A-Z]{2}$/;
const KINDS = ["none", ...DOCUMENT_KINDS] as const;
type Kind = (typeof KINDS)[number];
const OTHERS = ["none", "same", "different"] as const;
type Others = (typeof OTHERS)[number];

/** What the person writes; empty texts are not sent, and stay as they are kept. */
const EMPTY = {
  ...{ birthDate: "", document: "", personalNumber: "", validUntil: "", reason: "" },
  ...{ country: "", documentNumber: "" },
  kind: "none" as Kind,
  others: "none" as Others,
};
type Draft = typeof EMPTY;
const useDraft = () => {
  const [draft, setDraft] = useState(EMPTY);
  const put = <Name extends keyof Draft>(field: Name, text: Draft[Name]) => setDraft({ ...draft, [field]: text });
  return { draft, put };
};

/** What of the numbers is sent, and whether it can be. */
function numbersOf({ country, kind, others, ...draft }: Draft) {
  const number = draft.personalNumber.replaceAll(/[ .-]/g, "");
  const documentNumber = draft.documentNumber.trim();
  const isNumberWrong = number !== "" && !NUMBER.test(number);
  const isCountryWrong = country !== "" && !COUNTRY.test(country);
  const isDocumentWrong = documentNumber !== "" && documentNumberForm(documentNumber) === null;
  const hasNumber = number !== "" || documentNumber !== "";
  const isHalf = (country !== "") !== hasNumber || (documentNumber !== "") !== (kind !== "none");
  return {
    ...{ isNumberWrong, isCountryWrong, isDocumentWrong, isHalf },
    isRight: !(isNumberWrong || isCountryWrong || isDocumentWrong || isHalf),
    fields: {
      ...(country !== "" && { country }),
      ...(number !== "" && { personalNumber: number }),
      ...(documentNumber !== "" && { documentNumber }),
      ...(kind !== "none" && { documentKind: kind }),
      ...(others !== "none" && { others }),
    },
  };
}

/** Who issued number and document, and both numbers: what finds a second account of the same person. */
function Numbers(props: { readonly draft: Draft; readonly put: ReturnType<typeof useDraft>["put"] }) {
  const { t } = useText();
  const { draft, put } = props;
  const { isNumberWrong, isCountryWrong, isDocumentWrong, isHalf } = numbersOf(draft);
  return (
    <>
      <Field
        label={t("identity.country")}
        note={t("identity.countryNote")}
        error={isCountryWrong ? t("identity.countryWrong") : undefined}
        value={draft.country}
        maxLength={2}
        dir="ltr"
        autoComplete="off"
        onChange={({ target }) => put("country", target.value.toUpperCase())}
      />
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
      <SelectField<Kind>
        label={t("identity.documentKind")}
        value={draft.kind}
        onChange={(kind) => put("kind", kind)}
        choices={KINDS.map((one) => [one, t(`identity.kind_${one}`)])}
      />
      <Field
        label={t("identity.documentNumber")}
        note={t("identity.documentNumberNote")}
        error={isDocumentWrong ? t("identity.documentNumberWrong") : undefined}
        value={draft.documentNumber}
        maxLength={60}
        dir="ltr"
        autoComplete="off"
        onChange={({ target }) => put("documentNumber", target.value)}
      />
      {isHalf && <Note kind="wait">{t("identity.numberHalf")}</Note>}
    </>
  );
}

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
  const numbers = numbersOf(draft);
  const isShared = known.others?.some(({ is }) => is === "same") === true;
  const needsBirthDate = state === "verified" && known.age === null && !DAY.test(draft.birthDate);
  const fields = {
    state,
    ...(DAY.test(draft.birthDate) && { birthDate: draft.birthDate }),
    ...(draft.document.trim() !== "" && { document: draft.document.trim() }),
    ...numbers.fields,
    ...(state === "verified" && DAY.test(draft.validUntil) && { validUntil: draft.validUntil }),
    reason,
  };
  const isWhole = reason !== "" && numbers.isRight && !needsBirthDate;
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
      <Numbers draft={draft} put={put} />
      {isShared && (
        <SelectField<Others>
          label={t("identity.others")}
          note={draft.others === "different" ? t("identity.othersDifferentNote") : undefined}
          value={draft.others}
          onChange={(others) => put("others", others)}
          choices={OTHERS.map((one) => [one, t(`identity.others_${one}`)])}
        />
      )}
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
