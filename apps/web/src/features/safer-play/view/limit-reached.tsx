import type { OwnLimit, OwnLimits } from "@longarm/contract/player-limits";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useEffect } from "react";
import type { SaferPlayDeps } from "../limits.ts";
import { momentText, partsOf, useLimits, valueText } from "../limits.ts";
import { SaferIcon } from "./icons.tsx";
import css from "./limit-reached.module.css";

type LimitReachedProps = {
  readonly deps: SaferPlayDeps;
  /** What came back to the wallet, minor units; undefined: it is on its way, or there was nothing. */
  readonly returned: number | undefined;
  readonly onLeave: () => void;
  readonly onLimits: () => void;
};

/** A limit has ended the play session: which one, where the credit is, and when play opens again. Both ways on are alike. */
export function LimitReached({ deps, returned, onLeave, onLimits }: LimitReachedProps) {
  const speech = useText();
  const currency = useCurrency();
  const { t } = speech;
  const { data } = useLimits(deps);
  const limit = data === undefined || data === "absent" ? undefined : reachedIn(data);
  const row = limit && partsOf(limit.key).row;
  const frees = limit?.frees ?? null;
  // A break of the market ends play in the same way: the page of the break says what it is.
  const isOther = data !== undefined && data !== "absent" && limit === undefined && !hasSessionLimit(data);
  useEffect(() => {
    if (isOther) onLeave();
  }, [isOther, onLeave]);
  const title = row === undefined || !isPlayed(row) ? t("saferPlay.reached") : t(`saferPlay.reached_${row}`);
  return (
    <main className={css["room"]}>
      <Sheet open title={title} bareTitle>
        <div className={css["body"]}>
          <p className={css["title"]} aria-hidden="true">
            {title}
          </p>
          {limit !== undefined && (
            <p>
              {t(`saferPlay.period_${partsOf(limit.key).period}`)}:{" "}
              <b>{valueText(speech, currency, limit.key, limit.value)}</b>
            </p>
          )}
          <p role="status">
            {returned === undefined
              ? t("saferPlay.reachedHome")
              : t("saferPlay.reachedCredit", { amount: moneyText(returned, currency, speech.language, true) })}
          </p>
          {frees !== null && (
            <p className={css["until"]}>
              <SaferIcon name="hourglass" />
              {t("saferPlay.reachedUntil", { time: momentText(speech, frees) })}
            </p>
          )}
          <div className={css["twin"]}>
            <Key big onClick={onLeave}>
              {t("saferPlay.reachedLeave")}
            </Key>
            <Key big onClick={onLimits}>
              {t("saferPlay.reachedLimits")}
            </Key>
          </div>
        </div>
      </Sheet>
    </main>
  );
}

const hasSessionLimit = ({ limits }: OwnLimits): boolean =>
  limits.some(({ key, value }) => key === "session" && value !== null);

type Played = "loss" | "wager" | "time";
const isPlayed = (row: string): row is Played => row === "loss" || row === "wager" || row === "time";

/** Of the limits of which nothing is left the one that frees last. */
function reachedIn({ limits }: OwnLimits): OwnLimit | undefined {
  const reached = limits.filter(({ key, left }) => left === 0 && isPlayed(partsOf(key).row));
  const at = ({ frees }: OwnLimit) => (frees === null ? Number.POSITIVE_INFINITY : Date.parse(frees));
  return reached.toSorted((one, other) => at(other) - at(one))[0];
}
