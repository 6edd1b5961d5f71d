import * as z from "zod/mini";
import { MachineAbout } from "./about-machine.ts";
import { Press, PressAnswer } from "./data-channel.ts";
import { Beat } from "./envelope.ts";
import { IceServer } from "./ice-server.ts";
import { Instant, OwnId, SeatEpoch, TransferId, WireId } from "./ids.ts";
import { Band, Button, MachineFacts, MachineLimits, Meters, PAGE_EVENT_KINDS } from "./machine.ts";
import type { SocketContract } from "./methods.ts";
import { Minor, PositiveMinor, SignedMinor } from "./money.ts";
import { CheckMinutes, CheckNow, GameRules } from "./player-protection.ts";
import { SeatTurn } from "./player-queue.ts";
import { COUNTDOWN_CODES } from "./problems.ts";

/** The largest SDP either side may send, bytes. */
export const SDP_BYTES_MAX = 16_384;
export const Sdp = z.string().check(z.minLength(1), z.maxLength(SDP_BYTES_MAX));

/** A trickled ICE candidate; null or empty text ends the list. */
export const Candidate = z.object({
  candidate: z.nullable(z.string().check(z.maxLength(1024))),
  sdpMid: z.optional(z.nullable(z.string().check(z.maxLength(32)))),
});
export type Candidate = z.infer<typeof Candidate>;

/** The longest address of a media server, characters. */
const CROWD_ADDRESS_CHARS_MAX = 4_000;

export const InitAsk = z.object({
  machineID: WireId,
  token: z.optional(z.string().check(z.maxLength(4096))),
  offer: z.optional(Sdp),
  role: z.optional(z.enum(["player", "spectator"])),
  /** The video rate the page would like, frames a second (`framesPerSecond` of the settings). */
  framesPerSecond: z.optional(z.number().check(z.gte(1), z.lte(120))),
});

/**
 * The player's newest call for an attendant in this play session: `open` until staff has seen it, `answered`: somebody is on the way, `closed`: it
 * is over. Times are ISO 8601.
 */
export const AttendantCall = z.object({
  state: z.enum(["open", "answered", "closed"]),
  calledAt: Instant,
  answeredAt: z.optional(Instant),
});
export type AttendantCall = z.infer<typeof AttendantCall>;

/** What the games of a play session came to so far, minor units. What was won is with what waits to be paid by hand. */
export const Played = z.object({ games: z.int().check(z.gte(0)), wagered: Minor, won: Minor });
export type Played = z.infer<typeof Played>;

/** How the player may leave this seat and keep it for some minutes, with its credits; without it, the seat is kept for as long as a lost link. */
export const SeatHold = z.object({
  minutes: z.int().check(z.gte(1), z.lte(60)),
  /** How often still, of those of 24 hours. */
  left: z.int().check(z.gte(0), z.lte(100)),
  /** What it takes from the wallet each time, minor units. An older platform takes nothing. */
  price: z._default(Minor, 0),
});
export type SeatHold = z.infer<typeof SeatHold>;

/** What `init` answers. A spectator gets no epoch, buttons, limits or play session. */
export const InitAnswer = z.object({
  machine: z.extend(MachineFacts, { status: z.number() }),
  bandSelects: z._default(z.array(Band), []),
  activeBand: z._default(z.nullable(WireId), null),
  buttons: z._default(z.array(Button), []),
  iceServers: z._default(z.array(IceServer), []),
  meters: z.optional(Meters),
  limits: z.optional(MachineLimits),
  /** `netMinor`: what this play session won (+) or lost (−) so far, minor units. `played`: absent on an older platform. */
  playSession: z.optional(
    z.object({
      id: z.string(),
      startedAt: Instant,
      netMinor: SignedMinor,
      played: z.catch(z.optional(Played), undefined),
    }),
  ),
  epoch: z.optional(SeatEpoch),
  webcam: z._default(z.boolean(), false),
  /** A call for an attendant; null: there is none; absent: the platform takes none, and only a key of the machine calls. */
  call: z.catch(z.optional(z.nullable(AttendantCall)), undefined),
  /** The rules that protect the player at this seat. Absent: an older platform, none. */
  rules: z.catch(z.optional(GameRules), undefined),
  /** The reality check as it is now. */
  check: z.catch(z.optional(CheckNow), undefined),
  /** How long the player may sit while others wait. Absent: an older platform, no rule. */
  turn: z.catch(z.optional(SeatTurn), undefined),
  /** Absent: seats are not held here. */
  hold: z.catch(z.optional(SeatHold), undefined),
  /** The agent's SDP, when an offer came. */
  answer: z.optional(Sdp),
  /**
   * A spectator for whom the agent has no place: video comes from this address, by WHEP and without a token, and `init` has no `answer`. Where that
   * fails, an `offer` requests a place of the agent. Absent: it comes from the agent.
   */
  crowd: z.catch(
    z.optional(z.object({ whep: z.url({ protocol: /^https?$/ }).check(z.maxLength(CROWD_ADDRESS_CHARS_MAX)) })),
    undefined,
  ),
});
export type InitAnswer = z.infer<typeof InitAnswer>;

/** `done` may be less than requested; `unknown` is decided later by a `transfer` notification. */
export const MoneyAnswer = z.object({ outcome: z.enum(["done", "unknown"]), amount: Minor });
export type MoneyAnswer = z.infer<typeof MoneyAnswer>;

/** We send `CODE_18800`; a reader takes 18800 and "18800" too (decision D-59). */
export const Countdown = z.object({
  code: z.union([z.enum(COUNTDOWN_CODES), z.literal([18800, 18801, 18802]), z.literal(["18800", "18801", "18802"])]),
  count: z.int().check(z.gte(0)),
});
export type Countdown = z.infer<typeof Countdown>;

/**
 * What has just happened at the machine. `amount`: of a jackpot or a hand pay, minor units; `name`: of the jackpot. A page takes a kind that it
 * does not know for `other` and ignores it.
 */
export const PageEvent = z.object({
  kind: z.catch(z.enum([...PAGE_EVENT_KINDS, "other"]), "other"),
  amount: z.optional(Minor),
  name: z.optional(z.string().check(z.maxLength(64))),
});
export type PageEvent = z.infer<typeof PageEvent>;

/** A page reports its delay so often, ms; the platform takes half of that for the shortest time between two. */
export const DELAY_EVERY_MS = 10_000;
/** The longest delay that is reported, ms: one that is longer is reported as this. */
export const DELAY_MS_MAX = 10_000;

/** Freezes of one report at most: the newest. A longer one is reported as this long, ms. */
export const FREEZES_MAX = 20;
export const FREEZE_MS_MAX = 600_000;
const FreezeMs = z.int().check(z.gte(0), z.lte(FREEZE_MS_MAX));

/**
 * What the seated player's page shows. `ms`: glass to glass, the median of its last two seconds, whole ms; absent: the page cannot measure it, and
 * then there are freezes. `freezes`: since the report before, each with how long ago it ended.
 */
export const DelayReport = z.object({
  ms: z.optional(z.int().check(z.gte(0), z.lte(DELAY_MS_MAX))),
  freezes: z.optional(z.array(z.object({ agoMs: FreezeMs, ms: FreezeMs })).check(z.maxLength(FREEZES_MAX))),
});
export type DelayReport = z.infer<typeof DelayReport>;

/** How long a web waits for any answer about money before it is unknown, ms (contract.md section 3). */
export const MONEY_DEADLINE_MS = 15_000;

/** The game socket (contract.md section 3): `/game?machine={id}&token=`. */
export const gameSocket = {
  client: {
    requests: {
      init: { input: InitAsk, output: InitAnswer, deadlineMs: 10_000 },
      offer: {
        input: z.object({ sdp: Sdp, framesPerSecond: z.optional(z.number().check(z.gte(1), z.lte(120))) }),
        /** `iceServers`: minted anew, for the next time addresses are looked for. */
        output: z.object({ sdp: Sdp, iceServers: z._default(z.array(IceServer), []) }),
        deadlineMs: 10_000,
      },
      cashIn: {
        input: z.object({ id: TransferId, amount: PositiveMinor }),
        output: MoneyAnswer,
        deadlineMs: MONEY_DEADLINE_MS,
      },
      cashOut: {
        input: z.object({ id: TransferId, amount: z.optional(PositiveMinor) }),
        output: MoneyAnswer,
        deadlineMs: MONEY_DEADLINE_MS,
      },
      press: { input: Press, output: PressAnswer, deadlineMs: 2_000 },
      /** Calls an attendant; while a call is open it is that one. */
      callAttendant: { input: z.object({}), output: AttendantCall, deadlineMs: 5_000 },
      /** What the machine states of its game. A platform that does not know the question states nothing. */
      about: { input: z.object({}), output: MachineAbout, deadlineMs: 5_000 },
      continue: { input: z.object({}), output: z.object({}), deadlineMs: 5_000 },
      /** Plays on after the reality check of this id. To leave instead is `leave`. */
      keepPlaying: { input: z.object({ id: OwnId }), output: z.object({}), deadlineMs: 5_000 },
      /** How often the player wants a reality check; null: never. Holds at once, but not for one that is open. */
      checkEvery: {
        input: z.object({ minutes: z.nullable(CheckMinutes) }),
        output: z.object({}),
        deadlineMs: 5_000,
      },
      /**
       * Keeps the seat with its credits after this page has closed, for so many ms from now; a repeat of an id holds once. It ends earlier than the venue's
       * minutes where a limit, a reality check or the turn does, and then costs less. `price`: the price that the player was shown; a higher one is not taken,
       * absent: 0. The answer says what was taken from the wallet. Problems: request.invalid, game.in_progress, wallet.insufficient_funds, what keeps money
       * from a machine.
       */
      hold: {
        input: z.object({ id: OwnId, price: z.optional(Minor) }),
        output: z.object({ leftMs: z.int().check(z.gte(0)), price: z._default(Minor, 0) }),
        deadlineMs: 5_000,
      },
      leave: { input: z.object({}), output: MoneyAnswer, deadlineMs: MONEY_DEADLINE_MS },
    },
    /** `delay`: a platform that does not know it ignores it. */
    notifications: { candidate: Candidate, delay: DelayReport },
  },
  server: {
    requests: {},
    notifications: {
      beat: Beat,
      meters: Meters,
      countdown: Countdown,
      /** `why`: `limit`, a limit of the player is reached; `excluded`, `identity`, `limitMissing`, `register`, `help`, `payment`: what play needs is lost; `turn`: others wait. Absent or unknown to the page: the code says all. */
      ended: z.object({
        code: z.union([z.string(), z.number()]),
        why: z.optional(z.string().check(z.maxLength(20))),
      }),
      candidate: Candidate,
      transfer: z.object({ id: z.string(), outcome: z.enum(["done", "refused"]), amount: Minor }),
      agent: z.object({ connected: z.boolean() }),
      spectators: z.object({ count: z.int().check(z.gte(0)) }),
      event: PageEvent,
      call: AttendantCall,
      /** A game was booked: what the play session came to with it. */
      played: Played,
      /** The rules of the seat have changed. */
      rules: GameRules,
      /** A reality check became due, was shown, or was answered, perhaps on another device. */
      check: CheckNow,
      /** Somebody waits for the machine now, or no player any more. */
      turn: SeatTurn,
    },
  },
  frameBytesMax: 16_384,
} as const satisfies SocketContract;
