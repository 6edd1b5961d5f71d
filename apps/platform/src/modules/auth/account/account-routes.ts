import type {} from "@fastify/compress";
import type { SignedInAnswer } from "@longarm/contract/http";
import { servedTemplateCalls } from "@longarm/contract/template/template-api";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Player } from "../../players/index.ts";
import { callerOf } from "../caller.ts";
import type { Guard } from "../guard.ts";
import { accountUser } from "./account-user.ts";
import type { RegisterParts } from "./register.ts";
import { register } from "./register.ts";

const BODY_BYTES_MAX = 4_096;
const HOUR_MS = 3_600_000;

export type AccountRoutes = RegisterParts & {
  /** Whether visitors may open accounts. */
  readonly open: boolean;
  readonly perHourAddress: number;
  /** True for a visitor who may not sign in from where they are. */
  isBlocked(visitor: FastifyRequest): boolean;
  signIn(player: Player, address: string): Promise<SignedInAnswer | undefined>;
};

/** The template's calls of accounts: POST /api/auth/register and /api/auth/user/update. */
export function accountRoutes(app: FastifyInstance, guard: Guard, parts: AccountRoutes): void {
  registerRoute(app, parts);
  updateRoute(app, guard, parts.players);
}

function registerRoute(app: FastifyInstance, parts: AccountRoutes): void {
  const { path, body } = servedTemplateCalls.register;
  app.withTypeProvider<ZodTypeProvider>().post(
    `/${path}`,
    {
      schema: { body },
      bodyLimit: BODY_BYTES_MAX,
      // Its answer carries a token: never compressed together with what the caller sent.
      compress: false,
      onRequest: callLimit(app, parts.perHourAddress, undefined, HOUR_MS),
    },
    async (request, reply) => {
      const address = request.clientAddress;
      if (parts.isBlocked(request)) return sendProblem(reply, { name: "auth.ip_not_permitted" });
      if (!parts.open) return sendProblem(reply, { name: "registration.closed" });
      const done = await register(parts, request.body);
      if (done.is === "busy") return sendProblem(reply, { name: "request.too_many", params: { seconds: 5 } });
      void reply.header("cache-control", "no-store");
      // With 200, as the template's own back end does.
      if (done.is === "refused") return reply.send({ error: done.errors });
      const { player } = done;
      request.log.info({ playerId: player.id, address }, "registered");
      const opened = await parts.signIn(player, address);
      if (opened === undefined) return sendProblem(reply, { name: "auth.wrong" });
      return reply.send({
        user: accountUser(player, await parts.players.profile(player.id)),
        access_token: opened.token,
      });
    },
  );
}

/** Writes what the player chose; name, e-mail and role are the house's to change. */
function updateRoute(app: FastifyInstance, guard: Guard, players: AccountRoutes["players"]): void {
  const { path, body } = servedTemplateCalls.updateUser;
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(`/${path}`, { schema: { body }, bodyLimit: BODY_BYTES_MAX * 2, onRequest: guard }, async (request, reply) => {
      const { playerId } = callerOf(request);
      const { uuid, data } = request.body.user;
      if (uuid !== playerId) return sendProblem(reply, { name: "request.invalid", detail: "uuid is another's" });
      const player = await players.find(playerId);
      if (!player) return sendProblem(reply, { name: "auth.signature" });
      const { settings, shortcuts } = data;
      const profile = await players.saveProfile(playerId, {
        ...(settings && { settings }),
        ...(shortcuts && { shortcuts }),
      });
      return reply.header("cache-control", "no-store").send(accountUser(player, profile));
    });
}
