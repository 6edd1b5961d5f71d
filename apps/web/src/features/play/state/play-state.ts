import type { InitAnswer, Played } from "@longarm/contract/game-socket";
import type { Band, Button, MachineLimits, Meters } from "@longarm/contract/machine";
import { LOCKUP_REASONS } from "@longarm/contract/machine";
import type { CheckNow, GameRules } from "@longarm/contract/player-protection";
import type { CountdownCode } from "@longarm/contract/problems";
import type { TextParams } from "@longarm/ui/i18n/texts.ts";
import type { GameNews } from "./game-results.ts";
import { NO_NEWS } from "./game-results.ts";
import type { RecoveryStep } from "./media/recovery.ts";
import type { RtcStreams } from "./media/rtc-port.ts";

/** `opening` until the seat is ours; `leaving` until the credits are back; `gone`: the lobby comes. */
export type Phase = "opening" | "playing" | "leaving" | "checking" | "gone";

export type Machine = InitAnswer["machine"];

/** A sentence for the player about a press, by its text key in `play`. */
export type PressNote =
  | "stakeChanged"
  | "pressRefused"
  | "pressUnknown"
  | "noCredit"
  | "locked"
  | "stakeAbove"
  | "noAutoplay"
  | "unseen"
  | "unrecorded"
  | "checkHolds"
  | "limitHolds"
  | "stakeHolds"
  | "breakHolds"
  | "turnHolds";

/** Why the player could not leave, by wire code. */
export type LeaveRefusal = { readonly code: number | string; readonly params: TextParams; readonly message: string };

/** Everything the screen draws, except what changes by itself several times a second. */
export type PlayState = {
  readonly phase: Phase;
  /** False while the game socket is away. */
  readonly online: boolean;
  /** The platform's reason when it closed the game socket, while that is away. */
  readonly closedBecause: string | undefined;
  /** The machine's own agent is away: no meters and no money meanwhile. */
  readonly agentAway: boolean;
  /** Video arrives. */
  readonly live: boolean;
  /** What is being done about missing video; undefined: nothing needs to be. */
  readonly recovery: RecoveryStep | undefined;
  /** False: the link is too poor to see what a press does, and SPIN does not press. */
  readonly playable: boolean;
  /** A frame was shown since the screen opened. */
  readonly started: boolean;
  readonly streams: RtcStreams;
  /** The machine has a room camera. */
  readonly webcam: boolean;
  readonly machine: Machine | undefined;
  /** In the order of the screen. */
  readonly bands: readonly Band[];
  readonly buttons: readonly Button[];
  readonly limits: MachineLimits | undefined;
  /** What protects the player at this seat; undefined: nothing more than the machine's own limits. */
  readonly rules: GameRules | undefined;
  /** The reality check as it is now. */
  readonly check: CheckNow;
  /** How long the player may sit while others wait, and until when, ms since 1970; undefined: no such rule, and no player waits. */
  readonly turn: { readonly limitMin: number; readonly until: number | undefined } | undefined;
  /** How the player may hold the seat; undefined: seats are not held here. */
  readonly hold: InitAnswer["hold"];
  readonly playSession: InitAnswer["playSession"];
  /** What the games of this play session came to, as the platform has booked them; undefined: it does not say. */
  readonly played: Played | undefined;
  readonly meters: Meters | undefined;
  /** Games played on the machine before this page took the seat. */
  readonly gamesBefore: number | undefined;
  /** Won (+) or lost (−) in this play session so far, minor units. */
  readonly netMinor: number | undefined;
  readonly countdown: { readonly code: CountdownCode; readonly count: number } | undefined;
  /** The platform accepts the next request for the seat at this time, ms since 1970. */
  readonly heldUntil: number | undefined;
  /** How many watch this machine. */
  readonly spectators: number;
} & GameNews;

export const FIRST_STATE: PlayState = {
  phase: "opening",
  online: false,
  closedBecause: undefined,
  agentAway: false,
  live: false,
  recovery: undefined,
  playable: true,
  started: false,
  streams: { video: undefined, audio: undefined, room: undefined },
  webcam: false,
  machine: undefined,
  bands: [],
  buttons: [],
  limits: undefined,
  rules: undefined,
  check: { state: "none" },
  turn: undefined,
  hold: undefined,
  playSession: undefined,
  played: undefined,
  meters: undefined,
  gamesBefore: undefined,
  netMinor: undefined,
  countdown: undefined,
  heldUntil: undefined,
  spectators: 0,
  ...NO_NEWS,
};

/** Presses do not pass through the platform: while it is away they go on beside the video. */
export function mayPress({ phase, online, live, playable }: PlayState): boolean {
  return phase === "playing" && (online || live) && playable;
}

/** Whether the stake on the screen is above the player's highest one. */
export const isStakeAbove = ({ rules, meters }: Pick<PlayState, "rules" | "meters">): boolean =>
  rules?.maxStake !== undefined && (meters?.bet ?? 0) > rules.maxStake;

/** Why the machine accepts no press, in its own terms. */
export type Lockup = NonNullable<Meters["lockup"]>;

const LOCKUPS: ReadonlySet<string> = new Set(LOCKUP_REASONS);
export const isLockup = (is: string): is is Lockup => LOCKUPS.has(is);

/** What the machine waits to have paid by hand, minor units; undefined: nothing. */
export function owedByHand({ handPay, handPays }: Meters): number | undefined {
  return handPays?.reduce((sum, { amount }) => sum + amount, 0) ?? handPay?.amount;
}

/** The credit that a transfer to the wallet can move. */
export const cashableOf = ({ credit, kinds }: Meters): number => kinds?.cashable ?? credit;

/** A hand pay comes first: it is the player's money. */
export function lockupOf({ handPay, lockup }: Meters): Lockup | undefined {
  return handPay === undefined ? lockup : "handPay";
}
