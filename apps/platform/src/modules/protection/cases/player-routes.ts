import type { LettersAnswer } from "@longarm/contract/player-care";
import { letterCalls as calls } from "@longarm/contract/player-care";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { PlatformDeps } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import { lettersOf, putLetterAway } from "./letters.ts";

const BODY_BYTES_MAX = 1_024;

/** Letters of staff as the caller reads them, each with why it was written. Of cases a player's calls say and change nothing. */
export function createLetters(
  { db: { kysely: db } }: Pick<PlatformDeps, "db">,
  app: FastifyInstance,
  guard: Guard,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();

  async function answerTo(playerId: string): Promise<LettersAnswer> {
    const letters = await lettersOf(db, playerId);
    return {
      letters: letters.map(({ sentAt, readAt, why, ...letter }) => ({
        ...letter,
        sentAt: sentAt.toISOString(),
        readAt: readAt?.toISOString() ?? null,
        why: why.map(({ at, ...sign }) => ({ ...sign, at: at.toISOString() })),
      })),
    };
  }

  typed.get(`/v1/${calls.letters.path}`, { onRequest: guard }, async (request, reply) =>
    reply.header("cache-control", "no-store").send(await answerTo(callerOf(request).playerId)),
  );

  const { path, body } = calls.readLetter;
  typed.post(
    `/v1/${path}`,
    { onRequest: guard, bodyLimit: BODY_BYTES_MAX, schema: { body } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      if (!(await putLetterAway(db, playerId, request.body.id)))
        return sendProblem(reply, { name: "request.invalid", detail: "no letter of the caller has this id" }, 404);
      return await reply.header("cache-control", "no-store").send(await answerTo(playerId));
    },
  );
}
