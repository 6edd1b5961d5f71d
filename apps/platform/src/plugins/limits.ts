import type { FastifyRateLimitStore, RateLimitOptions } from "@fastify/rate-limit";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LruMap } from "toad-cache";
import { limitKey } from "./client-address.ts";
import { sendProblem } from "./problems.ts";

const MINUTE_MS = 60_000;
/** Addresses or accounts that each limit remembers; who was silent longest is forgotten first. */
const REMEMBERED_MAX = 20_000;

type Window = { calls: number; readonly endsAt: number };

/**
 * Instead of the library's own, which hands out the entry that it goes on counting in and has it read a moment later: of calls that come at
 * once each would be told the last one's count, and all be refused. And this one's time only grows.
 */
class Windows implements FastifyRateLimitStore {
  readonly #windows = new LruMap<Window>(REMEMBERED_MAX);

  incr(...[key, callback, windowMs]: Parameters<FastifyRateLimitStore["incr"]>): void {
    const now = performance.now();
    const known = this.#windows.get(key);
    const window = known !== undefined && known.endsAt > now ? known : { calls: 0, endsAt: now + windowMs };
    window.calls += 1;
    this.#windows.set(key, window);
    callback(null, { current: window.calls, ttl: window.endsAt - now });
  }

  child(): Windows {
    return new Windows();
  }
}

/** Answers 429 and the reply when a limit is passed, else nothing. */
export type CallLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Writes the refusal of a listener's own form. */
export type AnswerTooMany = (reply: FastifyReply, seconds: number) => FastifyReply;

/** Counts the calls of each address, before anything else is looked at. Must be awaited before any `callLimit` is made. */
export async function limitCalls(
  app: FastifyInstance,
  perMinuteAddress: number,
  answer?: AnswerTooMany,
): Promise<void> {
  await app.register(rateLimit, { global: false, store: Windows });
  app.addHook("onRequest", callLimit(app, perMinuteAddress, undefined, undefined, answer));
}

/**
 * A limit of its own: so many calls a minute, or another while, of whoever `keyOf` says, by default the address. A while begins with its first
 * call and ends, however often the limit was passed in it.
 */
export function callLimit(
  app: FastifyInstance,
  most: number,
  keyOf: (request: FastifyRequest) => string = byAddress,
  windowMs = MINUTE_MS,
  answer: AnswerTooMany = (reply, seconds) => sendProblem(reply, { name: "request.too_many", params: { seconds } }),
): CallLimit {
  const count = callCount(app, most, keyOf, windowMs);
  return async (request, reply) => {
    const seconds = await count(request);
    return seconds === undefined ? undefined : answer(reply, seconds);
  };
}

const byAddress = (request: FastifyRequest): string => limitKey(request.clientAddress);

/** Counts as `callLimit` does, and answers nothing itself: after how many seconds the limit lets more pass; undefined: it is not passed. */
export function callCount(
  app: FastifyInstance,
  most: number,
  keyOf: (request: FastifyRequest) => string = byAddress,
  windowMs = MINUTE_MS,
): (request: FastifyRequest) => Promise<number | undefined> {
  const options: RateLimitOptions = { max: most, timeWindow: windowMs, keyGenerator: keyOf };
  const count = app.createRateLimit(options);
  return async (request) => {
    const limit = await count(request);
    return limit.isAllowed || !limit.isExceeded ? undefined : Math.max(1, limit.ttlInSeconds);
  };
}
