import type { DisputeVerdict } from "@longarm/contract/player-disputes";
import { DISPUTE_SENTENCE_MAX, DISPUTE_TEXT_MAX, DISPUTE_VERDICTS } from "@longarm/contract/player-disputes";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { AmountField, amountOf } from "../../shared/ui/amount-field.tsx";
import { ActKeys } from "../../shared/ui/form-sheet.tsx";
import { LongText } from "../../shared/ui/long-text.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";

export type QuestionDetail = AnswerOf<"dispute">;
export type QuestionAct = "take" | "note" | "ask" | "decide";

/** What shows something of a question. */
const READS = ["dispute", "disputes", "tasks", "approvals"] as const;

type FormProps = { readonly detail: QuestionDetail; readonly close: () => void };

/** The form of one act. */
export function QuestionForm({ act, ...props }: FormProps & { readonly act: QuestionAct }) {
  switch (act) {
    case "take":
      return <TakeForm {...props} />;
    case "note":
      return <NoteForm {...props} />;
    case "ask":
      return <AskForm {...props} />;
    case "decide":
      return <DecideForm {...props} />;
  }
}

function useLine({ player, number }: QuestionDetail) {
  const { t } = useText();
  return [t("disputes.questionOf", { number: String(number) }), player.username] as const;
}

function TakeForm({ detail, close }: FormProps) {
  const { t } = useText();
  const { busy, run } = useAct();
  const line = useLine(detail);
  // Who had it when the person decided: somebody else may have taken it since.
  const [expected] = useState(detail.owner?.id ?? null);
  async function send(): Promise<void> {
    const answer = await run("takeDispute", {
      params: { id: detail.id },
      fields: { expected },
      summary: { title: t("disputes.take"), lines: [line] },
      reads: READS,
      said: t("disputes.takenSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("disputes.takeAbout")}</p>
      <ActKeys send={t("disputes.take")} busy={busy} onSend={() => void send()} onCancel={close} />
    </>
  );
}

/** A note for staff, or the mark of a moment of the recording, which an export has too. */
export function NoteForm({ detail, close, momentMs }: FormProps & { readonly momentMs?: number }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const line = useLine(detail);
  const [text, setText] = useState("");
  const note = text.trim();
  const name = momentMs === undefined ? "note" : "mark";
  async function send(): Promise<void> {
    const answer = await run("noteDispute", {
      params: { id: detail.id },
      fields: { note, ...(momentMs !== undefined && { momentMs }) },
      summary: { title: t(`disputes.${name}`), lines: [line] },
      reads: READS,
      said: t(`disputes.${name}Said`),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      {momentMs !== undefined && <p className="soft">{t("disputes.markAbout")}</p>}
      <LongText label={t("disputes.noteText")} rows={5} most={DISPUTE_TEXT_MAX} value={text} onText={setText} />
      <ActKeys
        send={t(`disputes.${name}`)}
        busy={busy}
        disabled={note === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

function AskForm({ detail, close }: FormProps) {
  const { t } = useText();
  const { busy, run } = useAct();
  const line = useLine(detail);
  const [written, setText] = useState("");
  const text = written.trim();
  async function send(): Promise<void> {
    const answer = await run("askBackDispute", {
      params: { id: detail.id },
      fields: { text },
      summary: { title: t("disputes.ask"), lines: [line] },
      reads: READS,
      said: t("disputes.askSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("disputes.askAbout")}</p>
      <LongText label={t("disputes.askText")} rows={5} most={DISPUTE_TEXT_MAX} value={written} onText={setText} />
      <ActKeys
        send={t("disputes.ask")}
        busy={busy}
        disabled={text === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

/** No verdict is chosen in advance: a question does not end by two presses of a key. */
function DecideForm({ detail, close }: FormProps) {
  const { t } = useText();
  const { busy, run } = useAct();
  const line = useLine(detail);
  const [verdict, setVerdict] = useState<DisputeVerdict | "">("");
  const [amountText, setAmountText] = useState("");
  const [sentenceText, setSentence] = useState("");
  const [letterText, setLetter] = useState("");
  const [sentence, letter] = [sentenceText.trim(), letterText.trim()];
  const owes = verdict === "houseOwes";
  const amount = owes ? amountOf(amountText) : undefined;
  const isWhole = verdict !== "" && sentence !== "" && letter !== "" && (!owes || (amount !== undefined && amount > 0));
  async function send(): Promise<void> {
    if (verdict === "") return;
    const answer = await run("decideDispute", {
      params: { id: detail.id },
      fields: { verdict, sentence, letter, ...(amount !== undefined && { amount }) },
      summary: {
        title: t("disputes.decide"),
        lines: [line, [t("disputes.verdict"), t(`disputes.verdict_${verdict}`)], [t("disputes.sentence"), sentence]],
        ...(amount !== undefined && { amount }),
      },
      reads: READS,
      said: t("disputes.decidedSaid"),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t("disputes.decideAbout")}</p>
      <SelectField<DisputeVerdict | "">
        label={t("disputes.verdict")}
        value={verdict}
        onChange={setVerdict}
        choices={[
          ["", t("disputes.choose")],
          ...DISPUTE_VERDICTS.map((one) => [one, t(`disputes.verdict_${one}`)] as const),
        ]}
      />
      {owes && <AmountField label={t("disputes.amount")} value={amountText} onText={setAmountText} />}
      <Field
        label={t("disputes.sentence")}
        dir="auto"
        value={sentenceText}
        maxLength={DISPUTE_SENTENCE_MAX}
        autoComplete="off"
        onChange={({ target }) => setSentence(target.value)}
      />
      <LongText label={t("disputes.letter")} rows={7} most={DISPUTE_TEXT_MAX} value={letterText} onText={setLetter} />
      <ActKeys
        send={t("disputes.decide")}
        busy={busy}
        disabled={!isWhole}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
