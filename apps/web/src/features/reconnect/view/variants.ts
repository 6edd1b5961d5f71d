import type { SessionStatus } from "@longarm/contract/machine";
import type { LampStatus } from "../../../shared/ui/lamp.tsx";

export type Action = "continue" | "cashOut" | "kick" | "playHere" | "tryAgain" | "support" | "close";

type Variant = {
  readonly lamp: LampStatus;
  /** In the order of the keys; the first one that can be had is the primary one (decision D-39). */
  readonly actions: readonly Action[];
};

/** What the dialog says: the machine's status, but another tab of this browser is not accused of being someone else. */
export type Face = SessionStatus | "otherTab";

export const VARIANTS: Readonly<Record<Face, Variant>> = {
  waiting: { lamp: "waiting", actions: ["continue", "cashOut", "close"] },
  // Nothing else: cashing out would lose the bonus.
  "in-bonus": { lamp: "waiting", actions: ["continue"] },
  "trying-cashout": { lamp: "playing", actions: ["support", "close"] },
  playing: { lamp: "playing", actions: ["support", "kick", "close"] },
  otherTab: { lamp: "playing", actions: ["playHere", "support", "close"] },
  error: { lamp: "fault", actions: ["cashOut", "support", "close"] },
  offline: { lamp: "off", actions: ["tryAgain", "support", "close"] },
  unknown: { lamp: "off", actions: ["tryAgain", "close"] },
};
