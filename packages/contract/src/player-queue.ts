import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { OwnId } from "./ids.ts";

/** The most machines of a wish that names several. */
export const WISH_MACHINES_MAX = 20;

/** What a player waits for: one machine, any of a brand, any of a denomination (minor units), or any of these machines. */
export const QueueWish = z.union([
  z.strictObject({ machine: OwnId }),
  z.strictObject({ brand: z.string().check(z.minLength(1), z.maxLength(64)) }),
  z.strictObject({ denomination: z.int().check(z.gte(1), z.lte(1_000_000_000)) }),
  z.strictObject({ machines: z.array(OwnId).check(z.minLength(2), z.maxLength(WISH_MACHINES_MAX)) }),
]);
export type QueueWish = z.infer<typeof QueueWish>;

/**
 * `waiting`: its turn comes. `called`: a machine is kept for it. `funds`: the wallet is below what sitting down needs; others are called first.
 * `held`: something else keeps the player from sitting down now. `fault`: every machine of it has a fault or is not reached; no other player passes.
 * `closed`: staff has taken every machine of it out of play.
 */
export const PLACE_STATES = ["waiting", "called", "funds", "held", "fault", "closed"] as const;
export type PlaceState = (typeof PLACE_STATES)[number];

/**
 * `seated`: the player sat down. `missed`: two calls were missed. `away`: no page of the player was open for too long. `staff`: staff ended it, or closed
 * the account. Any other text is the name of the problem that keeps the player from play, such as `player.on_break`.
 */
export const PLACE_ENDS = ["seated", "left", "missed", "away", "staff"] as const;

/** How long a wait will be: eight waits of ten end inside, seconds. `sittings`: from how many sittings at the machines it is taken. */
export const WaitRange = z.object({
  lowS: z.int().check(z.gte(0)),
  highS: z.int().check(z.gte(0)),
  sittings: z.int().check(z.gte(0)),
});
export type WaitRange = z.infer<typeof WaitRange>;

/** What a place for a wish would be, if it were taken now. */
export const QueueOutlook = z.object({
  wish: QueueWish,
  /** Machines that would do. */
  machines: z.int().check(z.gte(0)),
  /** Players who wait for any of them. */
  ahead: z.int().check(z.gte(0)),
  /** Null: not known. */
  wait: z.nullable(WaitRange),
});
export type QueueOutlook = z.infer<typeof QueueOutlook>;

/** The most wishes that are looked at in one call. */
export const OUTLOOK_WISHES_MAX = 20;

/** A machine is kept for the player until the call ends; sitting down is its answer. */
export const QueueCall = z.object({
  machineId: OwnId,
  machine: z.string(),
  /** How long the page may still show, ms; the platform waits a little longer, for the way of the answer. */
  leftMs: z.int().check(z.gte(0)),
  /** The whole length of the call, ms. */
  ofMs: z.int().check(z.gte(1)),
  /** The player sits at another machine: to let this call pass is no miss. */
  elsewhere: z.boolean(),
});
export type QueueCall = z.infer<typeof QueueCall>;

export const QueuePlace = z.object({
  id: OwnId,
  wish: QueueWish,
  /** Which machines the player chose, where the place is for all of their brand now; it can go back to them. */
  chosen: z.optional(QueueWish),
  /** The machines that would do now, at most 20 named. */
  machines: z.array(z.object({ id: OwnId, name: z.string(), brand: z.string() })),
  state: z.catch(z.enum(PLACE_STATES), "held"),
  /** Players before this one. */
  ahead: z.int().check(z.gte(0)),
  /** Null: not known. */
  wait: z.nullable(WaitRange),
  /** ISO 8601. */
  joinedAt: z.string(),
  misses: z.int().check(z.gte(0)),
  /** How often the player may still let the next one go first. */
  passesLeft: z.int().check(z.gte(0)),
  /** Whether a call may pass for a connection that is too weak, beside those passes: not twice in a row. */
  linkPass: z._default(z.boolean(), false),
  call: z.nullable(QueueCall),
});
export type QueuePlace = z.infer<typeof QueuePlace>;

/** GET player/queue, and the notification `queue`: the player's places in the order of joining. */
export const QueueAnswer = z.object({
  places: z.array(QueuePlace),
  /** Places that one player may hold; 0: there are no queues here. */
  placesMax: z.int().check(z.gte(0)),
  /** Which wishes beside one machine or several this venue takes. */
  any: z.object({ brand: z.boolean(), denomination: z.boolean() }),
  /** Places that ended in the last hour by something else than the player's own act, the newest first, at most 10. */
  ended: z.array(
    z.object({
      id: OwnId,
      machine: z.string(),
      wish: QueueWish,
      reason: z.string().check(z.maxLength(60)),
      at: z.string(),
    }),
  ),
});
export type QueueAnswer = z.infer<typeof QueueAnswer>;

/** Fair time: how long a player may sit while somebody waits who may sit down. Play ends after the game then, and the credits go home. */
export const SeatTurn = z.object({
  /** As it was when the play session began, minutes; null: no rule. */
  limitMin: z.nullable(z.int().check(z.gte(1), z.lte(1_440))),
  /** Until play ends here, ms from now; null: no player waits, and the time is stopped. */
  leftMs: z.nullable(z.int().check(z.gte(0), z.lte(86_400_000))),
});
export type SeatTurn = z.infer<typeof SeatTurn>;

const PlaceRef = z.strictObject({ id: OwnId });

/** Where a place can move: to all machines of the brand of the chosen ones, and back to these. */
export const PLACE_MOVES = ["brand", "chosen"] as const;
export type PlaceMove = (typeof PLACE_MOVES)[number];

/** Calls of a player about queues. A platform without them answers 404. */
export const queueCalls = {
  queue: { method: "GET", path: "player/queue", answer: QueueAnswer },
  /** How many wait and how long a wait would be, before joining; changes nothing. The answers have the order of the wishes. */
  queueOutlook: {
    method: "POST",
    path: "player/queue/outlook",
    body: z.strictObject({
      wishes: z.array(QueueWish).check(z.minLength(1), z.maxLength(OUTLOOK_WISHES_MAX)),
    }),
    answer: z.object({ outlooks: z.array(QueueOutlook) }),
  },
  /**
   * Takes a place; with the same wish the place that the player has already. Problems: queue.places, queue.full, machine.not_available, and those of sitting
   * down that waiting does not mend.
   */
  joinQueue: { method: "POST", path: "player/queue/join", body: QueueWish, answer: QueueAnswer },
  /** Gives a place up; a repeat changes nothing. */
  leaveQueue: { method: "POST", path: "player/queue/leave", body: PlaceRef, answer: QueueAnswer },
  /**
   * Lets the next one go first while called: one place back, and no miss. `why`: the connection is too weak to play, which is none of the passes that a
   * place has, unless the call before passed for it too. Problem: queue.no_pass.
   */
  passQueue: {
    method: "POST",
    path: "player/queue/pass",
    body: z.strictObject({ id: OwnId, why: z.optional(z.literal("link")) }),
    answer: QueueAnswer,
  },
  /**
   * Moves a place for chosen machines of one brand to all machines of the brand, or back, with the same time of joining; a repeat changes nothing.
   * `to` absent: to the brand. Problem: queue.no_move.
   */
  moveQueue: {
    method: "POST",
    path: "player/queue/move",
    body: z.strictObject({ id: OwnId, to: z.optional(z.enum(PLACE_MOVES)) }),
    answer: QueueAnswer,
  },
} as const satisfies Record<string, Call>;
