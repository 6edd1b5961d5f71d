import type { Meters } from "@longarm/contract/machine";
import { useState } from "react";
import { useLive } from "../../../../shared/live/live.ts";
import { lockupOf } from "../../state/machine/lockup.ts";
import { usePlay } from "../play-context.ts";
import type { SpinFree, SpinState } from "./spin-face.tsx";
import { SpinFace } from "./spin-face.tsx";
import { usePanel } from "./use-panel.ts";
import { useSpin } from "./use-spin.ts";

/** The one thing in the hand. Carries the stake; stops autoplay while that plays; without credit it leads to the money. */
export function SpinButton() {
  const play = usePlay();
  const spin = useSpin(play);
  const { meters, online, live, phase, fair, started } = useLive(play.session.state);
  const { wager } = usePanel();
  const { turning, queued } = useLive(play.session.reels);
  const auto = useLive(play.session.autoplay.state);
  const [pressed, setPressed] = useState(false);
  const ready = (online || live) && phase === "playing" && meters !== undefined && wager !== undefined;
  const free = meters !== undefined && (meters.freeSpins > 0 || meters.bonus);
  const paid = free || (meters?.credit ?? 0) >= (meters?.bet ?? 0);
  const linked = online || live || !started;
  const locked = meters !== undefined && lockupOf(meters) !== undefined;
  const state = stateOf({ ready, linked, locked, fair, turning, queued, auto: auto.on, paid });
  const letGo = (): void => setPressed(false);
  return (
    <SpinFace
      state={state}
      bet={meters?.bet ?? 0}
      free={freeOf(meters)}
      auto={auto}
      data-spin
      data-pressed={pressed || undefined}
      aria-keyshortcuts="Space"
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
    />
  );
}

function freeOf(meters: Meters | undefined): SpinFree | undefined {
  if (meters?.bonus) return { is: "bonus" };
  return meters !== undefined && meters.freeSpins > 0 ? { is: "freeSpins", left: meters.freeSpins } : undefined;
}

function stateOf(now: {
  readonly ready: boolean;
  readonly linked: boolean;
  readonly locked: boolean;
  readonly fair: boolean;
  readonly turning: boolean;
  readonly queued: boolean;
  readonly auto: boolean;
  readonly paid: boolean;
}): SpinState {
  if (!now.linked) return "unlinked";
  if (!now.ready) return "offline";
  if (now.locked) return "locked";
  if (!now.fair) return "unfair";
  if (now.auto) return "auto";
  if (now.queued) return "queued";
  if (now.turning) return "turning";
  return now.paid ? "ready" : "noCredit";
}
