import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Authenticated } from "./caller.ts";

/** An `onRequest` hook of a route that needs a signed-in player. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i;

export type Guards = {
  /** Refuses without a good Bearer token, and while the sign-in is locked. */
  readonly guard: Guard;
  /** The same for the few calls that a locked sign-in needs. */
  readonly guardEvenLocked: Guard;
  /** For signing out alone: locked, and from wherever. */
  readonly guardAnywhere: Guard;
};

export type GuardParts = {
  /** At once where it is known who that is. */
  authenticate(token: string): Authenticated | Promise<Authenticated>;
  /** True for a visitor who may not be here at all, by address or country. */
  keepsOut(visitor: FastifyRequest): boolean;
  readonly callsPerMinute: number;
  /** Notes that the player did something. False: the sign-in is locked by now. */
  touch(jti: string): Promise<boolean>;
};

/** Reading is no activity: a page polls without its player. */
const READS = ["GET", "HEAD", "OPTIONS"];

export function createGuards(
  app: FastifyInstance,
  { authenticate, keepsOut, callsPerMinute, touch }: GuardParts,
): Guards {
  const limit = callLimit(app, callsPerMinute, (request) => `player ${request.caller?.playerId}`);
  const guardWith =
    ({ anywhere, evenLocked }: { readonly anywhere: boolean; readonly evenLocked: boolean }): Guard =>
    async (request, reply) => {
      // Looked at with each call: a token may travel to another place.
      if (!anywhere && keepsOut(request)) return sendProblem(reply, { name: "auth.ip_not_permitted" });
      const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
      if (token === undefined) return sendProblem(reply, { name: "auth.signature" });
      const looked = authenticate(token);
      const answer = looked instanceof Promise ? await looked : looked;
      if (answer.is === "refused") return sendProblem(reply, answer.problem);
      request.caller = answer;
      const tooMany = await limit(request, reply);
      if (tooMany !== undefined) return tooMany;
      if (evenLocked) return undefined;
      const isOpen = !answer.locked && (READS.includes(request.method) || (await touch(answer.jti)));
      return isOpen ? undefined : sendProblem(reply, { name: "session.locked" });
    };
  return {
    guard: guardWith({ anywhere: false, evenLocked: false }),
    guardEvenLocked: guardWith({ anywhere: false, evenLocked: true }),
    guardAnywhere: guardWith({ anywhere: true, evenLocked: true }),
  };
}
