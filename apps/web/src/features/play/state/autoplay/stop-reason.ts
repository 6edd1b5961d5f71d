import type { PlayState } from "../play-state.ts";
import type { AutoplayEnd } from "./control.ts";
import type { AutoplayPlan } from "./plan.ts";

type Now = Pick<PlayState, "phase" | "online" | "agentAway" | "limits" | "meters">;

/** What ends autoplay at once, whatever the reels do. `stake`: what the player agreed to stake, minor units. */
export function endsNow(now: Now, plan: AutoplayPlan, stake: number): AutoplayEnd | undefined {
  const { phase, online, agentAway, limits, meters } = now;
  if (phase !== "playing") return "leaving";
  if (limits?.autoplay === false) return "forbidden";
  if (!online || agentAway || meters === undefined) return "link";
  if (meters.handPay !== undefined) return "handPay";
  if (meters.lockup !== undefined) return "locked";
  // The machine does not tell whether a bonus runs or waits for a choice: the choice is the player's.
  if (meters.bonus) return "bonus";
  if (meters.freeSpins > 0 && plan.atFreeSpins) return "freeSpins";
  return meters.bet === stake ? undefined : "stake";
}

/** How far a run has come. `left`: games still to play. `lost`: since it began, minor units; below zero: won. */
export type RunNow = { readonly left: number | undefined; readonly lost: number };

/** What ends autoplay now that a game is complete; undefined: nothing. */
export function endsAfterGame(
  { win, credit }: { readonly win: number; readonly credit: number },
  { lossReaches, winAbove, creditBelow, creditAbove }: AutoplayPlan,
  { left, lost }: RunNow,
): AutoplayEnd | undefined {
  if (winAbove !== undefined && win > winAbove) return "win";
  if (lossReaches !== undefined && lost >= lossReaches) return "loss";
  if (creditBelow !== undefined && credit < creditBelow) return "credit";
  if (creditAbove !== undefined && credit > creditAbove) return "creditAbove";
  return left === 0 ? "done" : undefined;
}

/** Whether the next stake could go beyond what the player agreed to lose. */
export const wouldLoseTooMuch = ({ lossReaches }: AutoplayPlan, lost: number, stake: number): boolean =>
  lossReaches !== undefined && lost + stake > lossReaches;
