import * as z from "zod/mini";
import { SeatEpoch } from "./ids.ts";
import { LOCKUP_REFUSALS } from "./machine.ts";
import { Minor } from "./money.ts";

/** The largest frame of either data channel, bytes. */
export const CHANNEL_FRAME_BYTES_MAX = 512;

/** Both channels are unordered and never retransmitted by SCTP (a lost press is sent again by the page). */
export const CHANNEL_OPTIONS = { ordered: false, maxRetransmits: 0 } as const;
export const PRESS_CHANNEL = "press";
export const CLOCK_CHANNEL = "clock";

/** The page repeats an unanswered press after these many ms, and gives up at `PRESS_GIVE_UP_MS` (outcome unknown). */
export const PRESS_REPEAT_MS = [20, 40, 80] as const;
export const PRESS_GIVE_UP_MS = 500;
/** The agent refuses a press older than this by the matched clock as `stale`. */
export const PRESS_STALE_MS = 500;

/** One press of one key of the machine. */
export const Press = z.object({
  epoch: SeatEpoch,
  /** From 1 after every `init`, one more for each press; a repeat keeps its number. */
  seq: z.int().check(z.gte(1), z.lte(Number.MAX_SAFE_INTEGER)),
  button: z.string().check(z.minLength(1), z.maxLength(32)),
  /** When it was pressed, ms of the agent's clock as the page matched it. */
  at: z.number(),
  /** The stake the player saw, minor units; goes with every wager. */
  stake: z.optional(Minor),
  /** The page pressed by itself, for a player who has switched autoplay on. An honest page alone says so: no agent can see it. */
  auto: z.optional(z.boolean()),
});
export type Press = z.infer<typeof Press>;

/**
 * `unconfirmed`: the machine's button was pressed, and the machine has not said what came of it; its meters and events will. No program presses it again
 * by itself.
 */
export const PRESS_OUTCOMES = [
  "started",
  "done",
  "ignored",
  "refused",
  "late",
  "stale",
  "changed",
  "unconfirmed",
] as const;

/**
 * Why a press had no effect. First what the machine says, with the refusals of its lockups; then what the agent says, at its end by the rules that
 * protect the player (`PlayRules`); `not sent` is the page's own. A reader takes a reason that it does not know for `other`.
 */
export const PRESS_REASONS = [
  ...LOCKUP_REFUSALS,
  "locked",
  "inGame",
  "noCredit",
  "stakeAboveLimit",
  "stakeChanged",
  "atLimit",
  "too soon",
  "unknown button",
  "malformed",
  "stale epoch",
  "seat not granted",
  "lease expired",
  "transfer in progress",
  "too many presses",
  "a wager needs the stake that was seen",
  "the agent cannot keep records now",
  "too many events wait for the platform",
  "no autoplay",
  "picture too old",
  "play not recorded",
  "reality check",
  "limit reached",
  "stake was above",
  "break",
  "turn over",
  "not sent",
  "other",
] as const;
export type PressReason = (typeof PRESS_REASONS)[number];
export const PressAnswer = z.object({
  seq: z.int().check(z.gte(0)),
  /** A reader takes an outcome that it does not know for `unconfirmed`. */
  outcome: z.catch(z.enum(PRESS_OUTCOMES), "unconfirmed"),
  /** When the machine took it, ms of the agent's clock. */
  at: z.number(),
  reason: z.optional(z.catch(z.enum(PRESS_REASONS), "other")),
});
export type PressAnswer = z.infer<typeof PressAnswer>;

/**
 * Sent by the page once a second: its own clock, ms. `keyFrame`: frames are missing, so that the next one sent should need none
 * before it; the agent makes as many as its own limit allows. `smooth`: from now on the browser may keep a frame for up to 50 ms to show frames
 * evenly; absent or false: each is shown at once. An agent of an older version shows each at once.
 */
export const ClockAsk = z.object({
  t0: z.number(),
  keyFrame: z.optional(z.boolean()),
  smooth: z.optional(z.boolean()),
});
/** `t1` received and `t2` answered on the agent's clock (ms); the capture time of one RTP timestamp of the video. */
export const ClockAnswer = z.object({
  t0: z.number(),
  t1: z.number(),
  t2: z.number(),
  rtp: z.nullable(z.int().check(z.gte(0), z.lte(4_294_967_295))),
  capturedAt: z.nullable(z.number()),
});
export type ClockAnswer = z.infer<typeof ClockAnswer>;
