import type {} from "@fastify/compress";
import type { FastifyInstance } from "fastify";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Player } from "../accounts/index.ts";
import type { Caller } from "./caller.ts";
import { callerOf } from "./caller.ts";
import type { Guard } from "./guard.ts";
import type { SignedInParts } from "./signed-in.ts";
import { playerAnswer } from "./signed-in.ts";

const HOUR_MS = 3_600_000;

/** Also the sign-in with a token. Answers a token that is good for longer when half the life of the given one is over. */
export function validateRoute(app: FastifyInstance, guard: Guard, parts: SignedInParts): void {
  const { players, sessions } = parts;
  app.get("/v1/validate", { onRequest: guard, compress: false }, async (request, reply) => {
    const caller = callerOf(request);
    const [player, session] = await Promise.all([players.find(caller.playerId), sessions.find(caller.jti)]);
    if (!player || !session) return sendProblem(reply, { name: "auth.signature" });
    const token = (await renewed(parts, player, caller)) ?? givenToken(request.headers.authorization);
    const answer = await playerAnswer(parts, player, request.clientAddress, session);
    return reply.header("cache-control", "no-store").send({ token, ...answer, locked: session.locked });
  });
}

async function renewed(
  { sessions, tokens, tokenHours: hours, clock }: SignedInParts,
  player: Player,
  caller: Caller,
): Promise<string | undefined> {
  if (caller.expiresAtMs - clock.now() > (hours * HOUR_MS) / 2) return undefined;
  const expiresAt = await sessions.extend(caller.jti, hours);
  return expiresAt && (await tokens.sign(player, caller.jti, expiresAt));
}

function givenToken(authorization = ""): string {
  return authorization.slice(authorization.lastIndexOf(" ") + 1);
}
