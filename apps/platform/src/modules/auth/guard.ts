import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callLimit } from "../../plugins/limits.ts";
import { sendProblem } from "../../plugins/problems.ts";
import type { Authenticated } from "./caller.ts";

/** An `onRequest` hook of a route that needs a signed-in player. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i;

export function createGuard(
  authenticate: (token: string) => Promise<Authenticated>,
  app: FastifyInstance,
  callsPerMinute: number,
): Guard {
  const limit = callLimit(app, callsPerMinute, (request) => `player ${request.caller?.playerId}`);
  return async (request, reply) => {
    const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
    if (token === undefined) return sendProblem(reply, { name: "auth.signature" });
    const answer = await authenticate(token);
    if (answer.is === "refused") return sendProblem(reply, answer.problem);
    request.caller = answer;
    return await limit(request, reply);
  };
}
