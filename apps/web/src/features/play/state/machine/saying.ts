import type { Meters } from "@longarm/contract/machine";
import { LOCKUP_REASONS } from "@longarm/contract/machine";
import type { LampStatus } from "../../../../shared/ui/lamp.tsx";
import type { PlayState } from "../play-state.ts";

/** Why the machine takes no press, by its own word. */
export type Lockup = NonNullable<Meters["lockup"]>;

const LOCKUPS: ReadonlySet<string> = new Set(LOCKUP_REASONS);
export const isLockup = (is: string): is is Lockup => LOCKUPS.has(is);

/** What stands in the way of play, gravest first. */
export type Missing = {
  readonly is: "loading" | "leaving" | "checking" | "connectionLost" | "machineAway" | "pictureLost" | Lockup;
  readonly lamp: LampStatus;
  /** What a hand pay owes, minor units. */
  readonly owed?: number | undefined;
};

/** What the machine is doing beside an ordinary game. */
export type Doing =
  | { readonly is: "jackpot"; readonly name: string; readonly amount: number }
  | { readonly is: "freeSpins"; readonly left: number }
  | { readonly is: "bonus" };

/** Undefined while all is well. */
export function missingOf({ phase, online, agentAway, live, started, meters }: PlayState): Missing | undefined {
  if (phase === "gone") return undefined;
  if (phase === "opening") return { is: "loading", lamp: "playing" };
  if (phase === "leaving") return { is: "leaving", lamp: "playing" };
  if (phase === "checking") return { is: "checking", lamp: "waiting" };
  if (!online) return { is: "connectionLost", lamp: "off" };
  if (agentAway) return { is: "machineAway", lamp: "off" };
  const lockup = meters && lockupOf(meters);
  if (lockup !== undefined) return { is: lockup, lamp: "fault", owed: meters?.handPay?.amount };
  if (!live) return started ? { is: "pictureLost", lamp: "off" } : { is: "loading", lamp: "playing" };
  return undefined;
}

/** A hand pay comes first: it is the player's money. */
export function lockupOf({ handPay, lockup }: Meters): Lockup | undefined {
  return handPay === undefined ? lockup : "handPay";
}

/** Undefined in an ordinary game, and while something is missing that is said instead. */
export function doingOf(state: PlayState): Doing | undefined {
  const { jackpot, meters, stake } = state;
  if (meters === undefined || !state.online || missingOf(state) !== undefined) return undefined;
  // What is not more than the game cost is no reason for a word.
  if (jackpot !== undefined && jackpot.amount > stake) return { is: "jackpot", ...jackpot };
  if (meters.bonus) return { is: "bonus" };
  return meters.freeSpins > 0 ? { is: "freeSpins", left: meters.freeSpins } : undefined;
}
