import type { Button } from "@longarm/contract/machine";
import { useEffect, useId, useRef } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Money } from "../../../../shared/money/money.tsx";
import { Icon } from "../../../../shared/ui/icon.tsx";
import { useClick, usePlay } from "../play-context.ts";
import css from "./bet.module.css";
import cap from "./cap.module.css";
import { useCap } from "./use-cap.ts";
import { usePanel } from "./use-panel.ts";

const HOLD_AFTER_MS = 400;
/** Six a second. */
const HOLD_EVERY_MS = 167;

/** The stake of the next game, with the machine's own keys for less and more. */
export function Bet() {
  const { t } = useText();
  const { session } = usePlay();
  const id = useId();
  const bet = useLive(session.state, ({ meters }) => meters?.bet ?? 0);
  const { less, more, max } = usePanel();
  return (
    <fieldset className={css["bet"]} aria-labelledby={id}>
      <span className="plate" id={id}>
        {t("play.bet")}
      </span>
      <div className={css["betRow"]}>
        {less && <Step button={less} icon="minus" label={t("play.lessBet")} />}
        <output>
          <Money minor={bet} tone="ink" />
        </output>
        {more && <Step button={more} icon="plus" label={t("play.moreBet")} />}
        {max && <Max button={max} />}
      </div>
    </fieldset>
  );
}

/** A step key; held down it repeats six times a second. */
function Step({ button, icon, label }: { button: Button; icon: "minus" | "plus"; label: string }) {
  const { session, deps } = usePlay();
  const click = useClick();
  const { state } = useCap();
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);
  /** Whether a held key may go on: one that is refused says so once. */
  function press(): boolean {
    const pressed = session.press(button.id);
    if (pressed === "sent") click("key");
    return pressed !== "locked";
  }
  function hold(afterMs: number): void {
    stop.current = deps.timers.after(afterMs, () => {
      if (press()) hold(HOLD_EVERY_MS);
    });
  }
  const letGo = (): void => stop.current();
  return (
    <button
      type="button"
      className={cap["cap"]}
      aria-label={label}
      {...state}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        letGo();
        if (press()) hold(HOLD_AFTER_MS);
      }}
      onPointerUp={letGo}
      onPointerLeave={letGo}
      onPointerCancel={letGo}
      onContextMenu={(event) => event.preventDefault()}
      // A pointer pressed already when it went down; a keyboard or a screen reader only clicks.
      onClick={({ detail }) => void (detail === 0 && press())}
    >
      <Icon name={icon} />
    </button>
  );
}

/** The machine's key for its highest stake. */
function Max({ button }: { button: Button }) {
  const { t } = useText();
  const { session } = usePlay();
  const click = useClick();
  const { state } = useCap();
  return (
    <button
      type="button"
      className={`${cap["cap"]} ${css["max"]}`}
      data-max
      aria-label={t("play.maxBet")}
      title={t("play.maxBet")}
      {...state}
      onClick={() => {
        if (session.press(button.id) === "sent") click("key");
      }}
    >
      {t("play.max")}
    </button>
  );
}
