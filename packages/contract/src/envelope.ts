import * as z from "zod/mini";

/** The WebSocket subprotocol of both player sockets and the agent link (public protoo protocol). */
export const SUBPROTOCOL = "protoo";
/** A page may offer `token.` and its token as a second subprotocol, in place of the token in the socket's address. It is never the one that is chosen. */
export const TOKEN_SUBPROTOCOL = "token.";

const id = z.int().check(z.gte(0), z.lte(4_294_967_295));
const method = z.string().check(z.minLength(1), z.maxLength(64));

export const RequestEnvelope = z.object({ request: z.literal(true), id, method, data: z.optional(z.unknown()) });
export const DoneEnvelope = z.object({
  response: z.literal(true),
  id,
  ok: z.literal(true),
  data: z.optional(z.unknown()),
});
export const RefusedEnvelope = z.object({
  response: z.literal(true),
  id,
  ok: z.literal(false),
  /** A number of the catalogue; clients of the public protocol may send text. */
  errorCode: z.union([z.number(), z.string()]),
  errorReason: z.optional(z.nullable(z.string())),
  /** What the text of the code needs; ours, beside the public protocol's fields. */
  errorParams: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
});
export const NotificationEnvelope = z.object({
  notification: z.literal(true),
  method,
  data: z.optional(z.unknown()),
});

/** One text frame of any of our sockets. */
export const Envelope = z.union([RequestEnvelope, DoneEnvelope, RefusedEnvelope, NotificationEnvelope]);
export type Envelope = z.infer<typeof Envelope>;

/**
 * A notification of a player socket's server that says nothing but that it lives, each `everyMs`. A page cannot see the pings of its
 * socket; after the first beat it treats a server that is silent for four of them as gone. A server without beats is never treated so.
 */
export const Beat = z.object({ everyMs: z.int().check(z.gte(500), z.lte(60_000)) });
/** The method of `Beat`. */
export const BEAT = "beat";

/** Close codes of our sockets (contract.md section 3). */
export const CLOSE = {
  /** Final, with a reason: the client does not come back by itself. */
  final: 4000,
  /** The server restarts: come back with back-off. */
  restart: 1012,
  /** Try again later: come back with back-off. */
  later: 1013,
  /** A frame that is malformed or against the rules. */
  malformed: 1008,
  /** A frame over the limit. */
  tooLarge: 1009,
} as const;

/** Reasons that go with `CLOSE.final`. */
export const FINAL_REASONS = ["bad token", "banned", "taken over", "kicked", "ended", "logged out"] as const;
export type FinalReason = (typeof FINAL_REASONS)[number];
