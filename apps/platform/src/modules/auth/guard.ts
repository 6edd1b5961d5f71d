import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callLimit } from "../../plugins/limits.ts";
import { sendProblem } from "../../plugins/problems.ts";
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
  authenticate(token: string): Promise<Authenticated>;
  /** True for a visitor who may not be here at all, by address or country. */
  keepsOut(visitor: FastifyRequest): boolean;
  readonly callsPerMinute: number;
};

export function createGuards(app: FastifyInstance, { authenticate, keepsOut, callsPerMinute }: GuardParts): Guards {
  const limit = callLimit(app, callsPerMinute, (request) => `player ${request.caller?.playerId}`);
  const guardAnywhere: Guard = async (request, reply) => {
    const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
    if (token === undefined) return sendProblem(reply, { name: "auth.signature" });
    const answer = await authenticate(token);
    if (answer.is === "refused") return sendProblem(reply, answer.problem);
    request.caller = answer;
    return await limit(request, reply);
  };
  const guardEvenLocked: Guard = async (request, reply) => {
    // Looked at with each call: a token may travel to another place.
    if (keepsOut(request)) return sendProblem(reply, { name: "auth.ip_not_permitted" });
    return await guardAnywhere(request, reply);
  };
  return {
    guardAnywhere,
    guardEvenLocked,
    async guard(request, reply) {
      const answered = await guardEvenLocked(request, reply);
      if (answered === undefined && request.caller?.locked) return sendProblem(reply, { name: "session.locked" });
      return answered;
    },
  };
}
