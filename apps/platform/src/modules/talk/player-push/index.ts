import type { PushAnswer } from "@longarm/contract/player-push";
import { pushCalls as calls } from "@longarm/contract/player-push";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import type { PlatformDeps } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { RepeatedLook } from "../../../repeat-look.ts";
import { repeatLook } from "../../../repeat-look.ts";
import { isBanned } from "../../players/accounts/index.ts";
import type { Caller, Guard } from "../../players/auth/index.ts";
import { callerOf, isSignInOpen } from "../../players/auth/index.ts";
import { isKeptOut } from "../../protection/gates/index.ts";
import { addDevice, endDevice, forgetDevices, hasDevice, isPushAddress, pushKey } from "../outbox/index.ts";

const BODY_BYTES_MAX = 4_096;
const HOUR_MS = 3_600_000;

/** Whether something may be pushed to the player's device of the row `d`: its sign-in is open, and nothing keeps the player from play. */
export const mayRing: RawBuilder<boolean> = sql<boolean>`(${isSignInOpen("d.sign_in")}
  and not ${isBanned("d.player_id")} and not ${isKeptOut("d.player_id")})`;

/** The device of a player's sign-in that is pushed to, and an end of those that nothing may be pushed to any more. */
export function createPlayerPush(
  { db, random, config, clock, log }: PlatformDeps,
  app: FastifyInstance,
  guard: Guard,
): RepeatedLook {
  const { kysely } = db;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const own = { onRequest: guard };
  const answer = async (reply: FastifyReply, { jti }: Pick<Caller, "jti">) => {
    const now: PushAnswer = { publicKey: (await pushKey(kysely)).publicKey, on: await hasDevice(kysely, jti) };
    return reply.header("cache-control", "no-store").send(now);
  };

  typed.get(`/v1/${calls.push.path}`, own, async (request, reply) => await answer(reply, callerOf(request)));
  typed.post(
    `/v1/${calls.addPush.path}`,
    { ...own, bodyLimit: BODY_BYTES_MAX, schema: { body: calls.addPush.body } },
    async (request, reply) => {
      const { playerId, jti } = callerOf(request);
      if (!isPushAddress(request.body.endpoint, config.push.hosts))
        return sendProblem(reply, { name: "request.invalid", detail: "no push service of PUSH_HOSTS" });
      const device = { ...request.body, playerId, signIn: jti, label: "player" };
      await kysely.transaction().execute((trx) => addDevice(trx, random, device));
      return await answer(reply, { jti });
    },
  );
  typed.post(`/v1/${calls.endPush.path}`, { ...own, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    await endDevice(kysely, callerOf(request).jti);
    return await answer(reply, callerOf(request));
  });

  const failed = "devices of players could not be looked at, they are tried again";
  return repeatLook({ clock, log, everyMs: HOUR_MS, failed }, () => forgetDevices(kysely, mayRing));
}
