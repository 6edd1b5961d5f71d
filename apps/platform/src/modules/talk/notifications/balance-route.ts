import type { FastifyInstance } from "fastify";
import type { Play } from "../../play/index.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";

/** What the caller can spend, and what is elsewhere: a few bytes, never packed. */
export function balanceRoute(app: FastifyInstance, guard: Guard, wallet: Play["wallet"]): void {
  app.get("/v1/player/balance", { onRequest: guard, compress: false }, async (request, reply) =>
    reply.header("cache-control", "no-store").send(await wallet.balanceOf(callerOf(request).playerId)),
  );
}
