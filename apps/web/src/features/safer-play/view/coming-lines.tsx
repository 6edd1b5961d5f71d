import type { BegunLimit, OwnLimit } from "@longarm/contract/player-limits";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { useState } from "react";
import { ApiError } from "../../../shared/api/failure.ts";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import type { LimitChange, SaferPlayDeps } from "../limits.ts";
import { durationText, isDue, momentText, partsOf, useLimitChange, valueText } from "../limits.ts";
import css from "./coming-lines.module.css";
import { SaferIcon } from "./icons.tsx";

type Waits = OwnLimit & { readonly waiting: NonNullable<OwnLimit["waiting"]> };
type LineProps = { readonly deps: SaferPlayDeps; readonly limit: Waits; readonly nowMs: number };

/** Looser limits that wait: what will change and when, with the way back; after the wait the question whether they are still wanted. */
export function ComingLines(props: {
  readonly deps: SaferPlayDeps;
  readonly limits: readonly OwnLimit[];
  readonly nowMs: number;
}) {
  const { deps, limits, nowMs } = props;
  const waiting = limits.filter((limit): limit is Waits => limit.waiting !== null);
  return waiting.map((limit) => {
    const Line = isDue(limit, nowMs) ? Question : Coming;
    return <Line key={limit.key} deps={deps} limit={limit} nowMs={nowMs} />;
  });
}

/** Looser limits that have begun by themselves, until the player has read it. */
export function BegunLines({ deps, begun }: { readonly deps: SaferPlayDeps; readonly begun: readonly BegunLimit[] }) {
  return begun.map((limit) => <Begun key={limit.id} deps={deps} limit={limit} />);
}

function Begun({ deps, limit }: { readonly deps: SaferPlayDeps; readonly limit: BegunLimit }) {
  const speech = useText();
  const currency = useCurrency();
  const change = useLimitChange(deps);
  const { t } = speech;
  const { row, period } = partsOf(limit.key);
  const name = `${t(`saferPlay.limitOf_${row}`)}, ${t(`saferPlay.period_${period}`)}`;
  const value = valueText(speech, currency, limit.key, limit.value);
  return (
    <section className={css["coming"]} aria-label={name}>
      <SaferIcon name="hourglass" />
      <p>{t("saferPlay.begun", { limit: name, amount: value, time: momentText(speech, limit.from) })}</p>
      <Key busy={change.isPending} onClick={() => change.mutate({ is: "read", id: limit.id })}>
        {t("saferPlay.begunRead")}
      </Key>
    </section>
  );
}

/** Sends a change and says what came of it. */
function useSaid(deps: SaferPlayDeps) {
  const speech = useText();
  const change = useLimitChange(deps);
  const [failed, setFailed] = useState<string>();
  const send = (what: LimitChange, said: string) =>
    change.mutate(what, {
      onSuccess: () => deps.messages.say("good", said),
      onError: (error) =>
        setFailed(error instanceof ApiError ? failureText(speech, error.failure) : speech.t("app.callFailed")),
    });
  return { send, busy: change.isPending, failed };
}

/** The limit's name with its period, and both values in words. */
function useWords({ key, mine, waiting }: Waits) {
  const speech = useText();
  const currency = useCurrency();
  const { row, period } = partsOf(key);
  return {
    title: speech.t(`saferPlay.limitOf_${row}`),
    period: speech.t(`saferPlay.period_${period}`),
    now: valueText(speech, currency, key, mine),
    next: valueText(speech, currency, key, waiting.value),
  };
}

function Coming({ deps, limit, nowMs }: LineProps) {
  const speech = useText();
  const { t } = speech;
  const { send, busy, failed } = useSaid(deps);
  const { title, period, now, next } = useWords(limit);
  const { id, from, answerUntil } = limit.waiting;
  const asks = answerUntil !== null;
  const minutes = Math.max(1, Math.ceil((Date.parse(from) - nowMs) / 60_000));
  return (
    <section className={css["coming"]} aria-label={`${title}, ${period}`}>
      <SaferIcon name="hourglass" />
      <p>
        {t("saferPlay.comingWhat", { limit: title, period })}{" "}
        <b>{t("saferPlay.comingChange", { amount: next, limit: now })}</b>{" "}
        {t(asks ? "saferPlay.comingAsk" : "saferPlay.comingAlone", { time: momentText(speech, from), limit: now })}
        {failed !== undefined && (
          <span role="alert" className={css["failed"]}>
            {failed}
          </span>
        )}
      </p>
      <p className={css["left"]}>
        <span className="num">{durationText(speech, minutes)}</span>
        <small>{t(asks ? "saferPlay.untilAsk" : "saferPlay.untilBegin")}</small>
      </p>
      <Key
        busy={busy}
        aria-label={t("saferPlay.takeBackOf", { limit: `${title}, ${period}` })}
        onClick={() => send({ is: "takeBack", id }, t("saferPlay.takenBackSaid", { limit: now }))}
      >
        {t("saferPlay.takeBack")}
      </Key>
    </section>
  );
}

/** Two keys of one size and one colour: neither answer is the one that we want. */
function Question({ deps, limit }: LineProps) {
  const speech = useText();
  const { t } = speech;
  const { send, busy, failed } = useSaid(deps);
  const { title, period, now, next } = useWords(limit);
  const { id, value, answerUntil } = limit.waiting;
  const time = momentText(speech, answerUntil ?? "");
  return (
    <section className={css["question"]} aria-label={`${title}, ${period}`}>
      <SaferIcon name="hourglass" />
      <div>
        <h2>{value === null ? t("saferPlay.questionNone") : t("saferPlay.question", { amount: next })}</h2>
        <p>{t("saferPlay.questionAbout", { limit: title, period, time, now })}</p>
        {failed !== undefined && (
          <p role="alert" className={css["failed"]}>
            {failed}
          </p>
        )}
      </div>
      <div className={css["twin"]}>
        <Key
          big
          busy={busy}
          onClick={() => send({ is: "answer", id, wanted: false }, t("saferPlay.takenBackSaid", { limit: now }))}
        >
          {t("saferPlay.no")}
        </Key>
        <Key big busy={busy} onClick={() => send({ is: "answer", id, wanted: true }, t("saferPlay.setSaid"))}>
          {t("saferPlay.yes")}
        </Key>
      </div>
    </section>
  );
}
