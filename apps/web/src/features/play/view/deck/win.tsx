import { useEffect, useState } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { useCurrency } from "../../../../shared/money/currency.ts";
import { moneyText } from "../../../../shared/money/format.ts";
import { Money } from "../../../../shared/money/money.tsx";
import { usePlay } from "../play-context.ts";
import { useStill } from "../use-still.ts";
import css from "./deck.module.css";

const COUNT_UP_MS = 600;

/**
 * The win meter: counts up in 600 ms, then stays. What is not more than the game cost is shown and told, and not celebrated. Screen
 * readers hear the figure once the game is complete.
 */
export function Win() {
  const { t, language } = useText();
  const currency = useCurrency();
  const { session } = usePlay();
  const win = useLive(session.state, ({ meters }) => meters?.win ?? 0);
  const won = useLive(session.state, ({ stake }) => win > stake);
  const { turning } = useLive(session.reels);
  const shown = useCountUp(win, won);
  return (
    <div className={css["win"]} data-won={won || undefined}>
      <span className="plate">{t("play.win")}</span>
      <Money minor={shown} tone="ink" />
      <span className="visually-hidden" role="status">
        {!turning && win > 0 && t("play.won", { amount: moneyText(win, currency, language, true) })}
      </span>
    </div>
  );
}

/** Follows an amount upwards in whole minor units; down, and with reduced motion, it jumps. */
function useCountUp(target: number, celebrates: boolean): number {
  const still = useStill();
  const calm = still || !celebrates;
  const [shown, setShown] = useState(target);
  const [from, setFrom] = useState(target);
  const [to, setTo] = useState(target);
  if (target !== to) {
    setTo(target);
    setFrom(Math.min(to, target));
    setShown(target > to && !calm ? to : target);
  }
  useEffect(() => {
    if (from === to || calm) return;
    let start: number | undefined;
    let handle = requestAnimationFrame(function step(now) {
      start ??= now;
      const share = Math.min(1, (now - start) / COUNT_UP_MS);
      setShown(Math.round(from + (to - from) * share));
      if (share < 1) handle = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(handle);
  }, [from, to, calm]);
  return shown;
}
