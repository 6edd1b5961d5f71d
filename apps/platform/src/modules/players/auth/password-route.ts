import { calls } from "@longarm/contract/http";
import { CODE_OK } from "@longarm/contract/problems";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { sendProblem } from "../../../plugins/problems.ts";
import { callerOf } from "./caller.ts";
import type { ChangeParts } from "./change-password.ts";
import { changePassword } from "./change-password.ts";
import type { Guard } from "./guard.ts";

const BODY_BYTES_MAX = 4_096;

/** POST /v1/player/password. All other sign-ins of the player end; the caller's stays. */
export function passwordRoute(
  app: FastifyInstance,
  guard: Guard,
  parts: ChangeParts,
  endOthers: (playerId: string, exceptJti: string) => Promise<void>,
): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(
      `/v1/${calls.password.path}`,
      { schema: { body: calls.password.body }, bodyLimit: BODY_BYTES_MAX, onRequest: guard },
      async (request, reply) => {
        const { playerId, jti } = callerOf(request);
        const problem = await changePassword(parts, playerId, request.body);
        if (problem !== null) {
          request.log.info({ playerId, problem: problem.name }, "password change refused");
          const who = `player:${playerId}`;
          if (problem.name === "password.old_wrong")
            await parts.audit.write({
              type: "signIn.wrongPassword",
              actor: who,
              subject: who,
              address: request.clientAddress,
            });
          return sendProblem(reply, problem);
        }
        await endOthers(playerId, jti);
        request.log.info({ playerId }, "changed password");
        return reply.header("cache-control", "no-store").send({ code: CODE_OK });
      },
    );
}
