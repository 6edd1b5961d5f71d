import * as z from "zod/mini";
import type { Call } from "./call.ts";

/** Where a browser takes pushes, as its `PushSubscription` says: the address at its push service, its public key, and its secret. */
export const PushTarget = {
  endpoint: z.string().check(z.minLength(10), z.maxLength(1_000)),
  /** P-256, 65 bytes, base64url. */
  p256dh: z.string().check(z.regex(/^[A-Za-z0-9_-]{87}=?$/)),
  /** 16 bytes, base64url. */
  auth: z.string().check(z.regex(/^[A-Za-z0-9_-]{22}(==)?$/)),
};

const PushDevice = z.strictObject({ ...PushTarget, language: z.enum(["tr", "en", "ar"]) });

const PushAnswer = z.object({
  /** The platform's key (VAPID), for `pushManager.subscribe`. */
  publicKey: z.string().check(z.maxLength(200)),
  /** Pushes go to the device of this sign-in. */
  on: z.boolean(),
});
export type PushAnswer = z.infer<typeof PushAnswer>;

/**
 * What a device of a player is pushed, encrypted for it: no name of a person, no amount. `queue.called`: the player's turn has come at `machine`, and
 * `seconds` are left to sit down. `question.answered`: staff wrote to a question about a game. More kinds may come; a page shows those that it knows.
 */
export const PlayerPush = z.object({
  type: z.string().check(z.maxLength(60)),
  subject: z.string().check(z.maxLength(200)),
  language: z.catch(z.enum(["tr", "en", "ar"]), "en"),
  machine: z.optional(z.nullable(z.string().check(z.maxLength(200)))),
  seconds: z.optional(z.int().check(z.gte(0), z.lte(3_600))),
});
export type PlayerPush = z.infer<typeof PlayerPush>;

/** Calls of a player about pushes to the device that they are signed in on. A platform without them answers 404. */
export const pushCalls = {
  push: { method: "GET", path: "player/push", answer: PushAnswer },
  /** Pushes go to this device from now on, in place of another of this sign-in. Problem: request.invalid, no push service that the server calls. */
  addPush: { method: "POST", path: "player/push/add", body: PushDevice, answer: PushAnswer },
  /** Nothing is pushed to the device of this sign-in any more; a repeat changes nothing. */
  endPush: { method: "POST", path: "player/push/end", answer: PushAnswer },
} as const satisfies Record<string, Call>;
