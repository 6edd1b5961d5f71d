import { LETTER_LETTERS_MAX } from "@longarm/contract/player-care";
import type { LimitKey, LimitPeriod } from "@longarm/contract/player-protection";
import { LIMIT_KEYS } from "@longarm/contract/player-protection";
import type { Language } from "@longarm/contract/settings";
import { LANGUAGES } from "@longarm/contract/settings";
import type { CareOutcome } from "@longarm/contract/staff-care";
import { CARE_OUTCOMES } from "@longarm/contract/staff-care";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Segment } from "@longarm/ui/segment.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useWhen } from "../../shared/care/care-view.tsx";
import type { TextKey } from "../../shared/texts.ts";
import { AmountField, amountOf } from "../../shared/ui/amount-field.tsx";
import { ActKeys } from "../../shared/ui/form-sheet.tsx";
import { LongText } from "../../shared/ui/long-text.tsx";
import { ReasonForm } from "../../shared/ui/reason-form.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";

export type CaseDetail = AnswerOf<"careCase">;
export type CaseAct = "take" | "note" | "letter" | "timeOut" | "close";

/** What shows something of a case. */
export const CASE_READS = ["careCase", "careCases", "playerCare", "tasks", "player"] as const;
const NOTE_MAX = 1_000;

type FormProps = { readonly detail: CaseDetail; readonly close: () => void };

/** The form of one act of a case. */
export function CaseForm({ act, ...props }: FormProps & { readonly act: CaseAct }) {
  switch (act) {
    case "take":
      return <TakeForm {...props} />;
    case "note":
      return <NoteForm {...props} />;
    case "letter":
      return <LetterForm {...props} />;
    case "timeOut":
      return <TimeOutForm {...props} />;
    case "close":
      return <CloseForm {...props} />;
  }
}

const lineOf = (t: (key: TextKey) => string, { player }: CaseDetail) => [t("care.player"), player.username] as const;

function TakeForm({ detail, close }: FormProps) {
  const { t } = useText();
  const { busy, run } = useAct();
  // Who had it when the person decided: somebody else may have taken it since.
  const [expected] = useState(detail.owner?.id ?? null);
  async function send(): Promise<void> {
    const answer = await run("takeCareCase", {
      params: { id: detail.id },
      fields: { expected },
      summary: { title: t("care.take"), lines: [lineOf(t, detail)] },
      reads: CASE_READS,
      said: t("care.takenSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("care.takeAbout")}</p>
      <ActKeys send={t("care.take")} busy={busy} onSend={() => void send()} onCancel={close} />
    </>
  );
}

function NoteForm({ detail, close }: FormProps) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  const note = text.trim();
  async function send(): Promise<void> {
    const answer = await run("noteCareCase", {
      params: { id: detail.id },
      fields: { note },
      summary: { title: t("care.note"), lines: [lineOf(t, detail)] },
      reads: CASE_READS,
      said: t("care.noteSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <LongText label={t("care.noteText")} rows={5} most={NOTE_MAX} value={text} onText={setText} />
      <ActKeys send={t("care.note")} busy={busy} disabled={note === ""} onSend={() => void send()} onCancel={close} />
    </>
  );
}

/** A letter begins with the operator's text, or ours, in the language that the person chooses. */
function LetterForm({ detail, close }: FormProps) {
  const { t, language: spoken } = useText();
  const { busy, run } = useAct();
  const [language, setLanguage] = useState<Language>(spoken);
  const [written, setWritten] = useState<Partial<Record<Language, string>>>({});
  const [key, setKey] = useState<LimitKey | "none">("none");
  const [valueText, setValueText] = useState("");
  const text = (written[language] ?? detail.drafts[language]).trim();
  const isTime = key.startsWith("time.");
  const minutes = /^\d{1,5}$/.test(valueText.trim()) ? Number(valueText) : undefined;
  const value = isTime ? minutes : amountOf(valueText);
  const advice = key === "none" || value === undefined || value === 0 ? undefined : { key, value };
  const isWhole = text !== "" && (key === "none" || advice !== undefined);
  async function send(): Promise<void> {
    const answer = await run("writeCareLetter", {
      params: { id: detail.id },
      fields: { text, ...(advice !== undefined && { advice }) },
      summary: { title: t("care.letter"), lines: [lineOf(t, detail)] },
      reads: CASE_READS,
      said: t("care.letterSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("care.letterAbout")}</p>
      <Segment<Language>
        label={t("care.letterLanguage")}
        value={language}
        onChange={setLanguage}
        options={LANGUAGES.map((one) => ({ value: one, label: t(`care.language_${one}`) }))}
      />
      <LongText
        label={t("care.letterText")}
        rows={9}
        most={LETTER_LETTERS_MAX}
        value={written[language] ?? detail.drafts[language]}
        onText={(next) => setWritten({ ...written, [language]: next })}
      />
      <SelectField<LimitKey | "none">
        label={t("care.adviceLimit")}
        value={key}
        onChange={setKey}
        choices={[["none", t("care.adviceNone")], ...LIMIT_KEYS.map((one) => [one, limitWords(t, one)] as const)]}
      />
      {key !== "none" &&
        (isTime ? (
          <Field
            label={t("care.adviceMinutes")}
            value={valueText}
            maxLength={5}
            inputMode="numeric"
            autoComplete="off"
            onChange={({ target }) => setValueText(target.value)}
          />
        ) : (
          <AmountField label={t("care.adviceValue")} value={valueText} onText={setValueText} />
        ))}
      <ActKeys send={t("care.letter")} busy={busy} disabled={!isWhole} onSend={() => void send()} onCancel={close} />
    </>
  );
}

function limitWords(t: (key: TextKey) => string, key: LimitKey): string {
  const [limit = "", period] = key.split(".") as [string, LimitPeriod];
  return `${t(`care.limit_${limit}` as TextKey)}, ${t(`care.period_${period}`)}`;
}

const DAYS = ["1", "7", "14", "28", "42"] as const;

function TimeOutForm({ detail, close }: FormProps) {
  const { t } = useText();
  const at = useWhen();
  const [days, setDays] = useState<(typeof DAYS)[number]>("7");
  const [until, setUntil] = useState<string>();
  if (until !== undefined) return <p role="status">{t("care.timeOutSaid", { time: at(until) })}</p>;
  return (
    <ReasonForm
      name="careTimeOut"
      params={{ id: detail.id }}
      title={t("care.timeOut")}
      about={t("care.timeOutAbout")}
      lines={[lineOf(t, detail), [t("care.timeOutDays"), t("care.days", { count: Number(days) })]]}
      fields={{ days: Number(days) }}
      danger
      reads={CASE_READS}
      close={close}
      onAnswer={(answer) => (answer.is === "done" ? setUntil(answer.result.until) : close())}
    >
      <SelectField
        label={t("care.timeOutDays")}
        value={days}
        onChange={setDays}
        choices={DAYS.map((one) => [one, t("care.days", { count: Number(one) })] as const)}
      />
    </ReasonForm>
  );
}

/** No outcome is chosen in advance: a case does not end by two presses of a key. */
function CloseForm({ detail, close }: FormProps) {
  const { t } = useText();
  const [outcome, setOutcome] = useState<CareOutcome | "">("");
  const choice = (
    <SelectField<CareOutcome | "">
      label={t("care.closeOutcome")}
      value={outcome}
      onChange={setOutcome}
      choices={[["", t("care.choose")], ...CARE_OUTCOMES.map((one) => [one, t(`care.outcome_${one}`)] as const)]}
    />
  );
  if (outcome === "")
    return (
      <>
        <p className="soft">{t("care.closeAbout")}</p>
        {choice}
        <ActKeys send={t("care.close")} busy={false} disabled onSend={() => {}} onCancel={close} />
      </>
    );
  return (
    <ReasonForm
      name="closeCareCase"
      params={{ id: detail.id }}
      title={t("care.close")}
      about={t("care.closeAbout")}
      lines={[lineOf(t, detail), [t("care.outcome"), t(`care.outcome_${outcome}`)]]}
      fields={{ outcome }}
      reads={CASE_READS}
      said={t("care.closedSaid")}
      close={close}
    >
      {choice}
    </ReasonForm>
  );
}
