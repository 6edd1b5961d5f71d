import type { DisputeAnswer, DisputeKind } from "@longarm/contract/player-disputes";
import { DISPUTE_KINDS, DISPUTE_TEXT_MAX } from "@longarm/contract/player-disputes";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import type { FormEvent, ReactNode } from "react";
import { useId, useState } from "react";
import { failureText } from "../../shared/i18n/problem-text.ts";
import css from "./disputes.module.css";
import type { DisputesApi } from "./disputes.ts";
import { useDisputeActs } from "./disputes.ts";
import { GameHead } from "./game-head.tsx";

/** What was written so far, for a form that may have to give way and come again. */
export type Draft = {
  readonly kind: DisputeKind | "";
  readonly words: string;
  readonly onChange?: (now: Pick<Draft, "kind" | "words">) => void;
};

/** Picture 50: what happened, own words. Nothing is chosen in advance. */
export function AskForm({
  api,
  answer,
  recording,
  draft = { kind: "", words: "" },
}: {
  readonly api: DisputesApi;
  readonly answer: DisputeAnswer;
  readonly recording: ReactNode;
  readonly draft?: Draft | undefined;
}) {
  const speech = useText();
  const { t } = speech;
  const id = useId();
  const [kind, setKind] = useState(draft.kind);
  const [words, setWords] = useState(draft.words);
  const keep = (now: Partial<Draft>): void => draft.onChange?.({ kind, words, ...now });
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { ask } = useDisputeActs(api, answer.game.id);
  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    if (kind === "") {
      setFailed(t("disputes.chooseKind"));
      document.getElementById(`${id}-kind`)?.focus();
      return;
    }
    setBusy(true);
    setFailed(undefined);
    const failure = await ask(kind, words.trim());
    setBusy(false);
    if (failure !== undefined) setFailed(failureText(speech, failure));
  }
  return (
    <div className={css["ask"]}>
      <GameHead game={answer.game} />
      {recording}
      {answer.mayAsk ? (
        <form onSubmit={(event) => void send(event)} noValidate>
          <label htmlFor={`${id}-kind`}>{t("disputes.whatHappened")}</label>
          <span className={css["select"]}>
            <select
              id={`${id}-kind`}
              value={kind}
              aria-invalid={failed !== undefined && kind === "" ? true : undefined}
              aria-describedby={failed === undefined ? undefined : `${id}-failed`}
              onChange={({ target }) => {
                const chosen = DISPUTE_KINDS.find((one) => one === target.value) ?? "";
                setKind(chosen);
                keep({ kind: chosen });
              }}
            >
              <option value="">{t("disputes.choose")}</option>
              {DISPUTE_KINDS.map((one) => (
                <option key={one} value={one}>
                  {t(`disputes.kind_${one}`)}
                </option>
              ))}
            </select>
            <Icon name="down" />
          </span>
          <WordsField
            label={t("disputes.words")}
            value={words}
            onText={(text) => {
              setWords(text);
              keep({ words: text });
            }}
          />
          {failed !== undefined && (
            <p id={`${id}-failed`} role="alert" className={css["failed"]}>
              {failed}
            </p>
          )}
          <Key kind="brass" big type="submit" busy={busy}>
            {t("disputes.send")}
          </Key>
          <p className={css["fine"]}>{t("disputes.sendAbout", { count: answer.dueDays })}</p>
        </form>
      ) : (
        <p role="status">{t("disputes.mayNot")}</p>
      )}
    </div>
  );
}

/** Several lines in the player's own words. */
export function WordsField({
  label,
  value,
  onText,
}: {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
}) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={4}
        dir="auto"
        maxLength={DISPUTE_TEXT_MAX}
        value={value}
        onChange={({ target }) => onText(target.value)}
      />
    </>
  );
}
