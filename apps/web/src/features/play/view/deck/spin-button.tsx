import { useState } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Money } from "../../../../shared/money/money.tsx";
import type { AutoplayNow } from "../../state/autoplay/control.ts";
import { lockupOf } from "../../state/machine/lockup.ts";
import { usePlay } from "../play-context.ts";
import css from "./spin-button.module.css";
import { usePanel } from "./use-panel.ts";
import { useSpin } from "./use-spin.ts";

type SpinState = "ready" | "turning" | "queued" | "auto" | "noCredit" | "unfair" | "locked" | "offline";

/** The one thing in the hand. Carries the stake; stops autoplay while that plays; without credit it leads to the money. */
export function SpinButton() {
  const { t } = useText();
  const play = usePlay();
  const spin = useSpin(play);
  const { meters, online, live, phase, fair } = useLive(play.session.state);
  const { wager } = usePanel();
  const { turning, queued } = useLive(play.session.reels);
  const auto = useLive(play.session.autoplay.state);
  const [pressed, setPressed] = useState(false);
  const ready = (online || live) && phase === "playing" && meters !== undefined && wager !== undefined;
  const free = meters !== undefined && (meters.freeSpins > 0 || meters.bonus);
  const paid = free || (meters?.credit ?? 0) >= (meters?.bet ?? 0);
  const locked = meters !== undefined && lockupOf(meters) !== undefined;
  const state = stateOf({ ready, locked, fair, turning, queued, auto: auto.on, paid });
  const letGo = (): void => setPressed(false);
  return (
    <button
      type="button"
      className={css["spin"]}
      data-spin
      data-state={state}
      data-pressed={pressed || undefined}
      data-endless={(auto.on && auto.total === undefined) || undefined}
      style={shareStyle(auto)}
      aria-keyshortcuts="Space"
      disabled={state === "offline"}
      // Not disabled: that would throw the focus away with every hitch of the link and every open door.
      aria-disabled={state === "unfair" || state === "locked" || undefined}
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
      <b>{t(state === "auto" ? "play.stop" : "play.spin")}</b>
      {state === "auto" && <span className={`num ${css["word"]}`}>{auto.left ?? "∞"}</span>}
      {state === "noCredit" && <span className={css["word"]}>{t("play.deposit")}</span>}
      {state === "locked" && <span className={css["word"]}>{t("play.lockedNow")}</span>}
      {state === "unfair" && <span className={css["word"]}>{t("play.tooPoor")}</span>}
      {state === "queued" && <span className={css["word"]}>{t("play.queued")}</span>}
      {(state === "ready" || state === "turning" || state === "offline") && (
        <Money minor={meters?.bet ?? 0} className={css["stake"] ?? ""} />
      )}
    </button>
  );
}

/** How much of the ring is lit: the games played of those asked for. */
function shareStyle({ left, total }: AutoplayNow): React.CSSProperties | undefined {
  if (left === undefined || total === undefined) return undefined;
  return { "--done": `${(100 * (total - left)) / total}%` } as React.CSSProperties;
}

function stateOf(now: {
  readonly ready: boolean;
  readonly locked: boolean;
  readonly fair: boolean;
  readonly turning: boolean;
  readonly queued: boolean;
  readonly auto: boolean;
  readonly paid: boolean;
}): SpinState {
  if (!now.ready) return "offline";
  if (now.locked) return "locked";
  if (!now.fair) return "unfair";
  if (now.auto) return "auto";
  if (now.queued) return "queued";
  if (now.turning) return "turning";
  return now.paid ? "ready" : "noCredit";
}
