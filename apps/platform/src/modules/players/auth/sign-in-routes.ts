import { CODE_OK } from "@longarm/contract/call";
import { keyCalls } from "@longarm/contract/player-keys";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "./guard.ts";
import { callerOf } from "./guard.ts";
import type { OpenSession, WhichSession } from "./session-rows.ts";

type SignInRoutesParts = {
  openOf(playerId: string): Promise<OpenSession[]>;
  end(which: WhichSession): Promise<void>;
};

const Part = z.object({ id: z.string().check(z.maxLength(100)) });

/** The open sign-ins of a player, who may end them. */
export function signInRoutes(app: FastifyInstance, guard: Guard, { openOf, end }: SignInRoutesParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.get(`/v1/${keyCalls.signIns.path}`, { onRequest: guard }, async (request, reply) => {
    const { playerId, jti } = callerOf(request);
    const signIns = (await openOf(playerId)).map(({ since, activeAt, ...row }) => ({
      ...row,
      since: since.toISOString(),
      activeAt: activeAt.toISOString(),
      isThis: row.id === jti,
    }));
    return reply.header("cache-control", "no-store").send({ signIns });
  });
  typed.post(
    `/v1/${keyCalls.signInEnd.path.replace("{id}", ":id")}`,
    { schema: { params: Part }, onRequest: guard },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      const { id } = request.params;
      if (!(await openOf(playerId)).some((row) => row.id === id))
        return sendProblem(
          reply,
          { name: "request.invalid", detail: "no open sign-in of the caller has this id" },
          404,
        );
      await end({ jti: id });
      request.log.info({ playerId }, "ended a sign-in");
      return reply.header("cache-control", "no-store").send({ code: CODE_OK });
    },
  );
  typed.post(`/v1/${keyCalls.signInsEnd.path}`, { onRequest: guard }, async (request, reply) => {
    const { playerId, jti } = callerOf(request);
    await end({ playerId, exceptJti: jti });
    request.log.info({ playerId }, "ended all other sign-ins");
    return reply.header("cache-control", "no-store").send({ code: CODE_OK });
  });
}
