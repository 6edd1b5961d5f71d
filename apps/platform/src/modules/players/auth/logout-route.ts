import { CODE_OK } from "@longarm/contract/problems";
import type { FastifyInstance } from "fastify";
import { callerOf } from "./caller.ts";
import type { Guard } from "./guard.ts";

/** Ends the caller's token and closes its sockets, on every node. */
export function logoutRoute(app: FastifyInstance, guard: Guard, end: (jti: string) => Promise<void>): void {
  app.post("/v1/player/logout", { onRequest: guard }, async (request, reply) => {
    const { jti, playerId } = callerOf(request);
    await end(jti);
    request.log.info({ playerId }, "signed out");
    return reply.header("cache-control", "no-store").send({ code: CODE_OK });
  });
}
