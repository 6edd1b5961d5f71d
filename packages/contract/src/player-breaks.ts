import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { PlayClosed } from "./play-closed.ts";

/** Lengths of a time-out, hours: a market takes away what is shorter or longer than its own. */
export const TIME_OUT_HOURS = [24, 72, 168, 336, 672, 1_008, 2_160] as const;
/** Lengths of a self-exclusion, months. */
export const EXCLUSION_MONTHS = [1, 3, 6, 12, 24, 60] as const;

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

/** Calls of a player about breaks from play. A platform without them answers 404. */
export const breakCalls = {
  /** What holds, and what may be chosen. */
  breaks: { method: "GET", path: "player/breaks", answer: BreaksAnswer },
  /** Begins a break at once, ends the caller's play and brings the credits home. */
  beginBreak: { method: "POST", path: "player/breaks", body: BreakBody, answer: BreaksAnswer },
  /** After the end of an exclusion: play opens a day later. 60082 before its end. */
  reopenPlay: { method: "POST", path: "player/breaks/reopen", answer: BreaksAnswer },
} as const satisfies Record<string, Call>;
