import { useState } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Money } from "../../../../shared/money/money.tsx";
import { usePlay } from "../play-context.ts";
import css from "./spin-button.module.css";
import { useSpin } from "./use-spin.ts";

type SpinState = "ready" | "turning" | "queued" | "noCredit" | "offline";

/** The one thing in the hand. Carries the stake; without credit it leads to the money. */
export function SpinButton() {
  const { t } = useText();
  const play = usePlay();
  const spin = useSpin(play);
  const { meters, online, phase, buttons } = useLive(play.session.state);
  const { turning, queued } = useLive(play.session.reels);
  const [pressed, setPressed] = useState(false);
  const ready = online && phase === "playing" && meters !== undefined && buttons.some(({ kind }) => kind === "wager");
  const state = stateOf({ ready, turning, queued, paid: (meters?.credit ?? 0) >= (meters?.bet ?? 0) });
  const letGo = (): void => setPressed(false);
  return (
    <button
      type="button"
      className={css["spin"]}
      data-spin
      data-state={state}
      data-pressed={pressed || undefined}
      aria-keyshortcuts="Space"
      disabled={state === "offline"}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        setPressed(true);
        spin();
      }}
      onPointerUp={letGo}
      onPointerLeave={letGo}
      onPointerCancel={letGo}
      onContextMenu={(event) => event.preventDefault()}
      // A pointer pressed already when it went down; a keyboard or a screen reader only clicks.
      onClick={({ detail }) => detail === 0 && spin()}
    >
      <b>{t("play.spin")}</b>
      {state === "noCredit" && <span className={css["word"]}>{t("play.deposit")}</span>}
      {state === "queued" && <span className={css["word"]}>{t("play.queued")}</span>}
      {state !== "noCredit" && state !== "queued" && <Money minor={meters?.bet ?? 0} className={css["stake"] ?? ""} />}
    </button>
  );
}

function stateOf(now: { ready: boolean; turning: boolean; queued: boolean; paid: boolean }): SpinState {
  if (!now.ready) return "offline";
  if (now.queued) return "queued";
  if (now.turning) return "turning";
  return now.paid ? "ready" : "noCredit";
}
