import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money, MoneySaid } from "@longarm/ui/money/money.tsx";
import { useEffect, useState } from "react";
import type { WinLevel } from "../../state/game-results.ts";
import { winLevel } from "../../state/game-results.ts";
import { usePlay, useStill } from "../play-context.ts";
import css from "./deck.module.css";
import { Bet, Choices } from "./panel-buttons.tsx";
import { AutoButton, SpinButton } from "./spin-button.tsx";

/** The deck: the machine's meters and its buttons, in the order of use: SPIN, autoplay, bet, bands, money. */
export function Deck() {
  const { t } = useText();
  const { session, openMoney } = usePlay();
  const { meters, online, countdown } = useLive(session.state);
  const transfer = useLive(session.transfer);
  return (
    <section className={css["deck"]} aria-label={t("play.keys")} data-waiting={meters === undefined || undefined}>
      <SpinButton />
      <AutoButton />
      <Bet />
      <Choices />
      <Key
        icon="transfer"
        className={css["transfer"]}
        data-attention={countdown?.code === "CODE_18800" || undefined}
        aria-label={t("play.transfer")}
        busy={transfer.is === "busy"}
        disabled={!online}
        onClick={() => openMoney("cashIn")}
      >
        <span>{t("play.transfer")}</span>
      </Key>
      <div className={css["credit"]}>
        <span className="plate">{t("play.credit")}</span>
        <Money minor={meters?.credit ?? 0} />
      </div>
      <Win />
    </section>
  );
}

/** By the level of the win: a larger win counts up for longer, one that is not celebrated not at all. */
const COUNT_UP_MS: Readonly<Record<WinLevel, number>> = { 0: 0, 1: 600, 2: 1_200, 3: 2_000 };

/**
 * The win meter: counts up, then stays; how long and how bright depends on the win's size beside the stake. A win of no more than the stake
 * is shown and announced, but not celebrated. Screen readers announce the figure once the game is complete.
 */
function Win() {
  const { t, language } = useText();
  const currency = useCurrency();
  const { session } = usePlay();
  const said = useLive(session.state, ({ meters }) => meters === undefined || meters.win !== undefined);
  const win = useLive(session.state, ({ meters }) => meters?.win ?? 0);
  const level = useLive(session.state, ({ stake }) => winLevel(win, stake));
  const { turning } = useLive(session.reels);
  const lines = useLive(session.state, ({ meters }) => meters?.winLines);
  const numbers = lines === undefined || win === 0 ? undefined : linesText(lines);
  const shown = useCountUp(win, COUNT_UP_MS[level]);
  return (
    <div className={css["win"]} data-won={level === 0 ? undefined : level}>
      <span className="plate">
        {t("play.win")}
        {numbers !== undefined && <> · {t("play.winLines", { numbers })}</>}
      </span>
      <MoneySaid minor={said ? shown : undefined} tone="ink" />
      <span className="visually-hidden" role="status">
        {!turning && win > 0 && t("play.won", { amount: moneyText(win, currency, language, true) })}
      </span>
    </div>
  );
}

/** There is no room for more lines beside the label. */
const LINES_MAX = 4;

/** The lines of the paytable that won, "3, 7" (player 8). */
function linesText(lines: readonly number[]): string | undefined {
  if (lines.length === 0) return undefined;
  const numbers = lines.slice(0, LINES_MAX).join(", ");
  return lines.length > LINES_MAX ? `${numbers} …` : numbers;
}

/** Follows an amount upwards in whole minor units; down, and with reduced motion, it jumps. */
function useCountUp(target: number, countMs: number): number {
  const still = useStill();
  const calm = still || countMs === 0;
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
      const share = Math.min(1, (now - start) / countMs);
      setShown(Math.round(from + (to - from) * share));
      if (share < 1) handle = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(handle);
  }, [from, to, calm, countMs]);
  return shown;
}
