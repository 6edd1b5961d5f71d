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
};

export function createGuards(
  authenticate: (token: string) => Promise<Authenticated>,
  app: FastifyInstance,
  callsPerMinute: number,
): Guards {
  const limit = callLimit(app, callsPerMinute, (request) => `player ${request.caller?.playerId}`);
  const guardEvenLocked: Guard = async (request, reply) => {
    const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
    if (token === undefined) return sendProblem(reply, { name: "auth.signature" });
    const answer = await authenticate(token);
    if (answer.is === "refused") return sendProblem(reply, answer.problem);
    request.caller = answer;
    return await limit(request, reply);
  };
  return {
    guardEvenLocked,
    async guard(request, reply) {
      const answered = await guardEvenLocked(request, reply);
      if (answered === undefined && request.caller?.locked) return sendProblem(reply, { name: "session.locked" });
      return answered;
    },
  };
}
