import { calls } from "@longarm/contract/http";
import type { Problem } from "@longarm/contract/problems";
import { CODE_OK } from "@longarm/contract/problems";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type * as z from "zod/mini";
import { sendProblem } from "../../../plugins/problems.ts";
import { isWeakPin } from "../accounts/index.ts";
import { callerOf } from "./caller.ts";
import type { ChangeParts } from "./change-password.ts";
import { withOwnPassword } from "./change-password.ts";
import type { Guard } from "./guard.ts";

const BODY_BYTES_MAX = 4_096;

/** POST /v1/player/pin: sets the PIN of the idle lock, or changes it. It takes the password: a page left open must not lock its owner out. */
export function pinRoute(app: FastifyInstance, guard: Guard, parts: ChangeParts): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(
      `/v1/${calls.pin.path}`,
      { schema: { body: calls.pin.body }, bodyLimit: BODY_BYTES_MAX, onRequest: guard },
      async (request, reply) => {
        const { playerId } = callerOf(request);
        const problem = await choosePin(parts, playerId, request.body);
        if (problem === null) {
          request.log.info({ playerId }, "changed PIN");
          return reply.header("cache-control", "no-store").send({ code: CODE_OK });
        }
        request.log.info({ playerId, problem: problem.name }, "PIN change refused");
        const subject = `player:${playerId}`;
        if (problem.name === "password.old_wrong")
          await parts.audit.write({
            type: "signIn.wrongPassword",
            actor: subject,
            subject,
            address: request.clientAddress,
          });
        return sendProblem(reply, problem);
      },
    );
}

type Asked = z.output<(typeof calls)["pin"]["body"]>;

/** Refuses, in this order, with: pin.weak, request.too_many, auth.protected, password.old_wrong; null: the PIN is set. */
async function choosePin(parts: ChangeParts, playerId: string, { password, pin }: Asked): Promise<Problem | null> {
  const player = await parts.players.find(playerId);
  if (!player) return { name: "auth.signature" };
  // Before the password is checked: it says nothing about it, and costs no try.
  if (isWeakPin(pin)) return { name: "pin.weak" };
  return await withOwnPassword(parts, player, password, async () => {
    await parts.players.setPin(player.id, pin);
    return true;
  });
}
