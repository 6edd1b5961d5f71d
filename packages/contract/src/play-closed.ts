import * as z from "zod/mini";
import { Instant } from "./ids.ts";

/**
 * Breaks from play. `timeOut` and `panic` end by themselves; `exclusion` stays until the player requests play again; `forced` follows long play
 * where the market says so. No person and no program shortens one. A reader takes a kind that it does not know for `timeOut`.
 */
export const BREAK_KINDS = ["timeOut", "exclusion", "panic", "forced"] as const;
export type BreakKind = (typeof BREAK_KINDS)[number];

/** What keeps the caller from play now. */
export const PlayClosed = z.object({
  kind: z.catch(z.enum(BREAK_KINDS), "timeOut"),
  from: Instant,
  /** The end; of an `exclusion` the time from which play may be requested again. */
  until: Instant,
  /** Of an `exclusion` after whose end the player has requested play: when play opens. */
  opensAt: z.optional(Instant),
  /** True: an `exclusion` is over by the platform's clock, and play may be requested. */
  isOver: z.optional(z.boolean()),
});
export type PlayClosed = z.infer<typeof PlayClosed>;
