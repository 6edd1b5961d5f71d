import type { LampStatus } from "@longarm/ui/lamp.tsx";
import type { RecoveryStep } from "./media/recovery.ts";
import type { Lockup, PlayState } from "./play-state.ts";
import { lockupOf, owedByHand } from "./play-state.ts";

/** Why the player cannot play now, the gravest reason first. */
export type Interruption = {
  readonly is:
    | ("loading" | "leaving" | "checking" | "connectionLost" | "machineAway" | "pictureLost" | "poorLink")
    | Lockup;
  readonly lamp: LampStatus;
  /** The platform's own reason. */
  readonly because?: string | undefined;
  /** What is being done about missing video. */
  readonly recovery?: Exclude<RecoveryStep, "keyFrame"> | undefined;
  /** Video and presses still work: they do not pass through the platform; money does. */
  readonly playsOn?: boolean | undefined;
  /** What a hand pay owes, minor units. */
  readonly owed?: number | undefined;
};

/** What the machine plays beside an ordinary game. */
export type SpecialPlay =
  | { readonly is: "jackpot"; readonly name: string; readonly amount: number }
  | { readonly is: "freeSpins"; readonly left: number }
  | { readonly is: "bonus" };

/** Undefined while all is well. */
export function interruptionOf(state: PlayState): Interruption | undefined {
  const { phase, online, agentAway, live, playable, meters } = state;
  if (phase === "gone") return undefined;
  if (phase === "opening") return { is: "loading", lamp: "playing" };
  if (phase === "leaving") return { is: "leaving", lamp: "playing" };
  if (phase === "checking") return { is: "checking", lamp: "waiting" };
  if (!online) return { is: "connectionLost", lamp: "off", because: state.closedBecause, playsOn: live && playable };
  if (agentAway) return { is: "machineAway", lamp: "off" };
  const lockup = meters && lockupOf(meters);
  if (lockup !== undefined) return { is: lockup, lamp: "fault", owed: meters && owedByHand(meters) };
  if (!live) return videoMissing(state);
  return playable ? undefined : { is: "poorLink", lamp: "waiting" };
}

/** Shown beside the glass: the game goes on, and its video must stay visible. */
export const isAside = ({ is, playsOn }: Interruption): boolean => is === "poorLink" || playsOn === true;

/** A key frame may bring the video back at once; after that it is the connection that is lost. */
function videoMissing({ started, recovery: step }: PlayState): Interruption {
  const recovery = step === "keyFrame" ? undefined : step;
  if (!started) return { is: "loading", lamp: "playing", recovery };
  return { is: recovery === undefined ? "pictureLost" : "connectionLost", lamp: "off", recovery };
}

/** Undefined in an ordinary game, and during an interruption, which is shown instead. */
export function specialPlayOf(state: PlayState): SpecialPlay | undefined {
  const { jackpot, meters, stake } = state;
  if (meters === undefined || !state.online || interruptionOf(state) !== undefined) return undefined;
  // A jackpot of no more than the stake is not announced.
  if (jackpot !== undefined && jackpot.amount > (stake ?? 0)) return { is: "jackpot", ...jackpot };
  if (meters.bonus) return { is: "bonus" };
  const { freeSpins: left = 0 } = meters;
  return left > 0 ? { is: "freeSpins", left } : undefined;
}
