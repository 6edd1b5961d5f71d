import { useEffect, useId, useRef } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Money } from "../../../../shared/money/money.tsx";
import { Icon } from "../../../../shared/ui/icon.tsx";
import { useClick, usePlay } from "../play-context.ts";
import css from "./deck.module.css";

const HOLD_AFTER_MS = 400;
/** Six a second. */
const HOLD_EVERY_MS = 167;

/** The stake of the next game, with the machine's own keys for less and more. */
export function Bet() {
  const { t } = useText();
  const { session } = usePlay();
  const id = useId();
  const bet = useLive(session.state, ({ meters }) => meters?.bet ?? 0);
  return (
    <fieldset className={css["bet"]} aria-labelledby={id}>
      <span className="plate" id={id}>
        {t("play.bet")}
      </span>
      <div className={css["betRow"]}>
        <Step button="betDown" icon="minus" label={t("play.lessBet")} />
        <output>
          <Money minor={bet} tone="ink" />
        </output>
        <Step button="betUp" icon="plus" label={t("play.moreBet")} />
      </div>
    </fieldset>
  );
}

/** A step key; held down it repeats six times a second. */
function Step({ button, icon, label }: { button: string; icon: "minus" | "plus"; label: string }) {
  const { session, deps } = usePlay();
  const click = useClick();
  const { online, buttons } = useLive(session.state);
  const { turning } = useLive(session.reels);
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);
  if (!buttons.some(({ id }) => id === button)) return null;
  function press(): void {
    if (session.press(button) === "sent") click("key");
  }
  function hold(afterMs: number): void {
    stop.current = deps.timers.after(afterMs, () => {
      press();
      hold(HOLD_EVERY_MS);
    });
  }
  const letGo = (): void => stop.current();
  return (
    <button
      type="button"
      className={css["cap"]}
      aria-label={label}
      disabled={!online}
      aria-disabled={turning || undefined}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        letGo();
        press();
        hold(HOLD_AFTER_MS);
      }}
      onPointerUp={letGo}
      onPointerLeave={letGo}
      onPointerCancel={letGo}
      onContextMenu={(event) => event.preventDefault()}
      // A pointer pressed already when it went down; a keyboard or a screen reader only clicks.
      onClick={({ detail }) => detail === 0 && press()}
    >
      <Icon name={icon} />
    </button>
  );
}

/** The machine's key for its highest stake, where it has one. */
export function MaxBet() {
  const { t } = useText();
  const { session } = usePlay();
  const click = useClick();
  const { online, buttons } = useLive(session.state);
  const { turning } = useLive(session.reels);
  if (!buttons.some(({ id }) => id === "maxBet")) return null;
  return (
    <button
      type="button"
      className={css["round"]}
      disabled={!online}
      aria-disabled={turning || undefined}
      onClick={() => {
        if (session.press("maxBet") === "sent") click("key");
      }}
    >
      <span aria-hidden="true">
        <Icon name="plus" />
      </span>
      {t("play.maxBet")}
    </button>
  );
}
