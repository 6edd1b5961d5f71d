import { CARE_MEASURES } from "@longarm/contract/player-care";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { useEffect } from "react";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { LetterFrom, LetterText } from "../../shared/ui/letter.tsx";
import { Advice, Why } from "./letter-parts.tsx";
import css from "./letters.module.css";
import type { LettersApi } from "./letters.ts";
import { useLetters, usePutAway } from "./letters.ts";

export type LettersTabProps = {
  readonly api: LettersApi;
  /** A letter that waited was shown here: it is put away. */
  readonly onPutAway: () => void;
};

/** The tab Letters of Safer play: what staff wrote and why, and what the casino looks at. */
export function LettersTab({ api, onPutAway }: LettersTabProps) {
  const { t } = useText();
  return (
    <div className={css["tab"]}>
      <Letters api={api} onPutAway={onPutAway} />
      <section className={css["measures"]}>
        <h2>{t("letters.measures")}</h2>
        <p>{t("letters.measuresAbout")}</p>
        <dl>
          {CARE_MEASURES.map((measure) => (
            <div key={measure}>
              <dt>{t(`letters.measure_${measure}`)}</dt>
              <dd>{t(`letters.about_${measure}`)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}

function Letters({ api, onPutAway }: LettersTabProps) {
  const speech = useText();
  const { t } = speech;
  const { data, error, refetch } = useLetters(api);
  const putAway = usePutAway(api);
  const waiting =
    data === undefined || data === "absent" ? undefined : data.letters.find(({ readAt }) => readAt === null);
  const waitingId = waiting?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each letter that waits.
  useEffect(() => {
    if (waitingId !== undefined) void putAway(waitingId).then(onPutAway);
  }, [waitingId]);
  if (data === undefined && error === null) return <p role="status">{t("letters.loading")}</p>;
  if (data === undefined) {
    const reason = error instanceof ApiError ? failureText(speech, error.failure) : t("app.callFailed");
    return (
      <div role="alert">
        <Notice title={t("letters.failed")} body={reason}>
          <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
        </Notice>
      </div>
    );
  }
  if (data === "absent" || data.letters.length === 0)
    return <Notice title={t("letters.none")} body={t("letters.noneBody")} />;
  return (
    <ul className={css["letters"]}>
      {data.letters.map((letter) => (
        <li key={letter.id}>
          <article className={css["letter"]}>
            <LetterFrom from={letter.from} at={letter.sentAt} />
            <LetterText text={letter.text} />
            <Advice letter={letter} />
            <Why letter={letter} />
          </article>
        </li>
      ))}
    </ul>
  );
}
