import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { Minor } from "./money.ts";
import { GameId } from "./player-record.ts";
import { CLIP_SEGMENTS_MAX, ClipGap, ClipPartName, FrameClock } from "./recording.ts";

/* The recording of one game, for its player and for staff (contract.md section 2, record 0221). */

/** `none`: it was not requested yet. `missing`: there is none, or none any more; another request tries again. */
export const CLIP_STATES = ["none", "wanted", "fetching", "ready", "missing"] as const;
export type ClipStateShown = (typeof CLIP_STATES)[number];

/** Why there is no clip. `agentAway`: it is still tried. */
export const CLIP_REASONS = ["notRecorded", "deleted", "agentAway", "failed"] as const;

/** Moments of a clip at most. */
export const CLIP_MOMENTS_MAX = 2_000;

/** Ms since 1970 by the agent's clock. */
const Time = z.number();
const Word = z.string().check(z.maxLength(200));
const Amount = z.nullable(Minor);

/** What the record has beside the picture. Amounts in minor units; null: unknown. */
export const ClipMoment = z.discriminatedUnion("is", [
  /** A press of the player, from when it arrived to when the machine had answered. `outcome` null: the machine was silent. */
  z.object({
    ...{ is: z.literal("press"), at: Time, doneAt: Time, button: Word },
    ...{ outcome: z.nullable(Word), reason: z.nullable(Word) },
  }),
  z.object({
    ...{ is: z.literal("game"), at: Time, phase: z.enum(["started", "ended"]), number: z.int() },
    ...{ stake: Amount, win: Amount, credit: Minor },
  }),
  z.object({ is: z.literal("event"), at: Time, kind: Word, amount: Amount, credit: Minor }),
  /** The recording was interrupted. */
  z.object({ is: z.literal("problem"), at: Time, why: z.string().check(z.maxLength(500)) }),
]);
export type ClipMoment = z.infer<typeof ClipMoment>;

export const GameClip = z.object({
  state: z.enum(CLIP_STATES),
  reason: z.nullable(z.enum(CLIP_REASONS)),
  /** When the game began and ended. */
  gameFromMs: Time,
  gameToMs: Time,
  /** What the clip shows: the game, and some seconds before and after it where they were recorded. */
  fromMs: Time,
  toMs: Time,
  /** In order; empty unless it is `ready`. Each is a whole MP4 whose media time begins at its `fromMs`. */
  segments: z
    .array(
      z.object({
        ...{ name: ClipPartName, bytes: z.int(), fromMs: Time, toMs: Time, frames: z.int() },
        frameClock: z.optional(FrameClock),
      }),
    )
    .check(z.maxLength(CLIP_SEGMENTS_MAX)),
  /** Times of which there is no picture. */
  gaps: z.array(ClipGap).check(z.maxLength(CLIP_SEGMENTS_MAX)),
  /** The agent's clock minus the platform's, and how exactly that is known, ms; null: it was not measured. */
  skewMs: z.nullable(z.number()),
  skewWithinMs: z.nullable(z.number()),
  /** In order. */
  moments: z.array(ClipMoment).check(z.maxLength(CLIP_MOMENTS_MAX)),
});
export type GameClip = z.infer<typeof GameClip>;

/** Clips of own games: the last ten, and those with a question. A platform without them answers 404. */
export const clipCalls = {
  /** By the id of the game. 404: the caller has no such game. 409: it is none of the last ten, and there is no question about it. */
  clip: { method: "GET", path: "player/clips/{id}", answer: GameClip },
  /** Has the clip fetched from where it was recorded. While it is on its way, or here, a repeat changes nothing. */
  requestClip: { method: "POST", path: "player/clips", body: z.strictObject({ game: GameId }), answer: GameClip },
} as const satisfies Record<string, Call>;

/** A segment of an own clip: `video/mp4`, not JSON. */
export const CLIP_PART_PATH = "player/clips/{id}/parts/{name}";
export const ClipPartOfGame = z.object({ id: GameId, name: ClipPartName });
