import { mailCalls } from "@longarm/contract/player-mail";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { AnyDb } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import { queueMail } from "../../talk/mail/index.ts";
import { addressOf, confirmAddress } from "../accounts/index.ts";
import type { Guard } from "./guard.ts";
import { callerOf } from "./guard.ts";
import type { CodeParts } from "./mailed-codes.ts";
import { checkCode, sendCode, useCode, waitingAddress } from "./mailed-codes.ts";
import type { PasskeyRoutesParts } from "./passkey-routes.ts";
import { proven } from "./passkey-routes.ts";
import { PASSKEY_BODY_BYTES_MAX } from "./password-route.ts";

/** Mails that one player may have sent to addresses to confirm, in each while of the lockout. */
const COUNTED_AS = "address";
const BODY_BYTES_MAX = 1_024;

type Parts = PasskeyRoutesParts & CodeParts;

/** The address that mail to the caller goes to. It changes with a proof and a code that arrived there: a page left open, or a slip of the pen, must not give the account to a stranger. */
export function addressRoutes(app: FastifyInstance, guard: Guard, parts: Parts): void {
  const { db, random, audit, players, lockout, notices } = parts;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const shown = async (playerId: string) => {
    const [own, player, sentTo] = await Promise.all([
      addressOf(db, playerId),
      players.find(playerId),
      waitingAddress(db, playerId),
    ]);
    return {
      address: own?.address ?? player?.email ?? null,
      confirmed: own !== undefined,
      ...(sentTo !== undefined && { sentTo }),
    };
  };

  typed.get(`/v1/${mailCalls.mail.path}`, { onRequest: guard }, async (request, reply) =>
    reply.header("cache-control", "no-store").send(await shown(callerOf(request).playerId)),
  );
  typed.post(
    `/v1/${mailCalls.mailAsk.path}`,
    { schema: { body: mailCalls.mailAsk.body }, bodyLimit: PASSKEY_BODY_BYTES_MAX, onRequest: guard },
    async (request, reply) =>
      await proven(parts, request, reply, request.body.proof, async ({ playerId }) => {
        const attempt = await lockout.count(playerId, COUNTED_AS);
        if (attempt.is === "blocked")
          return sendProblem(reply, { name: "auth.protected", params: { block_time: attempt.minutesLeft } });
        const { address, language } = request.body;
        const { expiresAt } = await sendCode(parts, { purpose: "address", playerId, address, language });
        return reply.header("cache-control", "no-store").send({ expiresAt: expiresAt.toISOString() });
      }),
  );
  typed.post(
    `/v1/${mailCalls.mailConfirm.path}`,
    { schema: { body: mailCalls.mailConfirm.body }, bodyLimit: BODY_BYTES_MAX, onRequest: guard },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      const player = await players.find(playerId);
      const code = await checkCode(parts, { addressOf: playerId }, request.body.code);
      if (!player || code === undefined) return sendProblem(reply, { name: "mail.code_wrong" });
      const done = await db.transaction().execute(async (trx: AnyDb) => {
        await audit.within(trx).actAs(`player:${playerId}`);
        if (!(await useCode(trx, code.id))) return "used";
        const { address, language } = code;
        const confirmed = await confirmAddress(trx, playerId, { address, language });
        if (confirmed === "taken") return "taken";
        const { before } = confirmed;
        const facts = { username: player.username };
        if (before !== undefined) {
          await queueMail(trx, random, { ...before, kind: "moved", facts });
          await notices?.changed(trx, playerId, "movedHere");
        }
        return "done";
      });
      if (done === "taken") return sendProblem(reply, { name: "mail.taken" });
      if (done === "used") return sendProblem(reply, { name: "mail.code_wrong" });
      request.log.info({ playerId }, "confirmed an e-mail address");
      return reply.header("cache-control", "no-store").send(await shown(playerId));
    },
  );
}
