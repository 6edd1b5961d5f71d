import type { LampStatus } from "../../../../shared/ui/lamp.tsx";
import type { PlayState } from "../play-state.ts";
import type { Step } from "../recovery/ladder.ts";
import type { Lockup } from "./lockup.ts";
import { lockupOf } from "./lockup.ts";

/** What stands in the way of play, gravest first. */
export type Missing = {
  readonly is:
    | ("loading" | "leaving" | "checking" | "connectionLost" | "machineAway" | "pictureLost" | "poorLink")
    | Lockup;
  readonly lamp: LampStatus;
  /** The platform's own words. */
  readonly because?: string | undefined;
  /** What is being done about a picture that stays away. */
  readonly mend?: Exclude<Step, "keyFrame"> | undefined;
  /** The machine is heard and seen all the same: presses go past the platform, money does not. */
  readonly playsOn?: boolean | undefined;
  /** What a hand pay owes, minor units. */
  readonly owed?: number | undefined;
};

/** What the machine is doing beside an ordinary game. */
export type Doing =
  | { readonly is: "jackpot"; readonly name: string; readonly amount: number }
  | { readonly is: "freeSpins"; readonly left: number }
  | { readonly is: "bonus" };

/** Undefined while all is well. */
export function missingOf(state: PlayState): Missing | undefined {
  const { phase, online, agentAway, live, fair, meters } = state;
  if (phase === "gone") return undefined;
  if (phase === "opening") return { is: "loading", lamp: "playing" };
  if (phase === "leaving") return { is: "leaving", lamp: "playing" };
  if (phase === "checking") return { is: "checking", lamp: "waiting" };
  if (!online) return { is: "connectionLost", lamp: "off", because: state.closedBecause, playsOn: live && fair };
  if (agentAway) return { is: "machineAway", lamp: "off" };
  const lockup = meters && lockupOf(meters);
  if (lockup !== undefined) return { is: lockup, lamp: "fault", owed: meters?.handPay?.amount };
  if (!live) return pictureMissing(state);
  return fair ? undefined : { is: "poorLink", lamp: "waiting" };
}

/** Said beside the glass: the machine goes on, and its picture is to be seen. */
export const isAside = ({ is, playsOn }: Missing): boolean => is === "poorLink" || playsOn === true;

/** A key frame may bring it back within a blink; from then on the connection is what is lost. */
function pictureMissing({ started, recovery }: PlayState): Missing {
  const mend = recovery === "keyFrame" ? undefined : recovery;
  if (!started) return { is: "loading", lamp: "playing", mend };
  return { is: mend === undefined ? "pictureLost" : "connectionLost", lamp: "off", mend };
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
