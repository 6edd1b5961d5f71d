import type { Live } from "../../../../shared/live/live.ts";
import type { AutoplayPlan } from "./plan.ts";

/** Why autoplay ended, by its text key `play.autoEnd_…`. Each end has a reason, and the player reads it (player 15). */
export const AUTOPLAY_ENDS = [
  "done",
  "win",
  "loss",
  "credit",
  "creditAbove",
  "noCredit",
  "bonus",
  "freeSpins",
  "stake",
  "handPay",
  "locked",
  "link",
  "hidden",
  "transfer",
  "refused",
  "player",
  "leaving",
  "forbidden",
] as const;
export type AutoplayEnd = (typeof AUTOPLAY_ENDS)[number];

/** What the screen shows of it. `left` and `total`: games; undefined: until the player stops. */
export type AutoplayNow = {
  readonly on: boolean;
  readonly left: number | undefined;
  readonly total: number | undefined;
  /** What may still be lost before it ends, minor units; undefined: the player set no such limit. */
  readonly lossLeft: number | undefined;
};

/** Autoplay as the screen holds it. */
export type AutoplayControl = {
  readonly state: Live<AutoplayNow>;
  /** Why it ended, or did not begin, until that is read. */
  readonly ended: Live<AutoplayEnd | undefined>;
  /** Begins with the stake that is on the screen now; false when nothing can be played, and `ended` says why. */
  start(plan: AutoplayPlan): boolean;
  /** Ends it. The game that runs is played to its end. */
  stop(why: AutoplayEnd): void;
  clearEnded(): void;
};
