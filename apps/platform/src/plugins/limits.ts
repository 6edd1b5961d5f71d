import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { limitKey } from "./client-address.ts";
import { sendProblem } from "./problems.ts";

const MINUTE_MS = 60_000;
/** Addresses or accounts that a limit remembers. */
const REMEMBERED_MAX = 20_000;

/** Answers 429 and the reply when a limit is passed, else nothing. */
export type CallLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Counts a call of `key`. Seconds until it may call again, or undefined: it may now. */
export type CallCounter = (key: string) => number | undefined;

type Window = { calls: number; readonly endsAt: number };

/**
 * So many calls in each while, which begins with the first call. Beyond `REMEMBERED_MAX` the one that began first is forgotten, which is the one
 * that would end first. `now` is any time that only grows, ms.
 */
export function callCounter(most: number, windowMs = MINUTE_MS, now = () => performance.now()): CallCounter {
  const windows = new Map<string, Window>();
  return (key) => {
    const at = now();
    const known = windows.get(key);
    if (known !== undefined && known.endsAt > at) {
      known.calls += 1;
      return known.calls > most ? Math.max(1, Math.ceil((known.endsAt - at) / 1_000)) : undefined;
    }
    // Removed first, so that the order is that of their beginnings.
    windows.delete(key);
    for (const oldest of windows.keys()) {
      if (windows.size < REMEMBERED_MAX) break;
      windows.delete(oldest);
    }
    windows.set(key, { calls: 1, endsAt: at + windowMs });
    return most < 1 ? Math.ceil(windowMs / 1_000) : undefined;
  };
}

/** Counts the calls of each address, before anything else is looked at. */
export function limitCalls(app: FastifyInstance, perMinuteAddress: number): void {
  const count = callCounter(perMinuteAddress);
  app.addHook("onRequest", (request, reply, done) => {
    const seconds = count(limitKey(request.clientAddress));
    if (seconds === undefined) done();
    else sendTooMany(reply, seconds);
  });
}

/** A limit of its own: so many calls a minute, or another while, of whoever `keyOf` says, by default the address. */
export function callLimit(
  most: number,
  keyOf: (request: FastifyRequest) => string = (request) => limitKey(request.clientAddress),
  windowMs = MINUTE_MS,
): CallLimit {
  const count = callCounter(most, windowMs);
  return async (request, reply) => {
    const seconds = count(keyOf(request));
    return seconds === undefined ? undefined : sendTooMany(reply, seconds);
  };
}

/** The answer of a limit. */
export const sendTooMany = (reply: FastifyReply, seconds: number): FastifyReply =>
  sendProblem(reply, { name: "request.too_many", params: { seconds } });
