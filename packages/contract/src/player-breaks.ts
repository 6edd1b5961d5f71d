import * as z from "zod/mini";
import { Instant } from "./ids.ts";

/**
 * Breaks from play. `timeOut` and `panic` end by themselves; `exclusion` stays until the player requests play again; `forced` follows long play
 * where the market says so. No person and no program shortens one. A reader takes a kind that it does not know for `timeOut`.
 */
export const BREAK_KINDS = ["timeOut", "exclusion", "panic", "forced"] as const;
export type BreakKind = (typeof BREAK_KINDS)[number];

/** Lengths of a time-out, hours: a market takes away what is shorter or longer than its own. */
export const TIME_OUT_HOURS = [24, 72, 168, 336, 672, 1_008] as const;
/** Lengths of a self-exclusion, months. */
export const EXCLUSION_MONTHS = [6, 12, 24, 60] as const;

/** What keeps the caller from play now. */
export const PlayClosed = z.object({
  kind: z.catch(z.enum(BREAK_KINDS), "timeOut"),
  from: Instant,
  /** The end; of an `exclusion` the time from which play may be requested again. */
  until: Instant,
  /** Of an `exclusion` after whose end the player has requested play: when play opens. */
  opensAt: z.optional(Instant),
});
export type PlayClosed = z.infer<typeof PlayClosed>;

/** GET player/breaks. */
export const BreaksAnswer = z.object({
  /** Null: play is open. */
  closed: z.nullable(PlayClosed),
  /** What may be chosen here: hours and months, the shortest first. */
  timeOutHours: z.array(z.int().check(z.gte(1))),
  exclusionMonths: z.array(z.int().check(z.gte(1))),
  /** Hours of the panic key. */
  panicHours: z.int().check(z.gte(1)),
});
export type BreaksAnswer = z.infer<typeof BreaksAnswer>;

/** POST player/breaks. It holds at once. */
export const BreakBody = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("timeOut"), hours: z.int().check(z.gte(1), z.lte(10_000)) }),
  z.object({ kind: z.literal("exclusion"), months: z.int().check(z.gte(1), z.lte(1_200)) }),
  z.object({ kind: z.literal("panic") }),
]);
export type BreakBody = z.infer<typeof BreakBody>;
