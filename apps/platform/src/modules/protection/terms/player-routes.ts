import type { TermsAnswer } from "@longarm/contract/player-terms";
import { termsCalls as calls } from "@longarm/contract/player-terms";
import type { Language } from "@longarm/contract/settings";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import type { PlatformDeps } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import type { MarketTables } from "../markets/index.ts";
import { rulesOf } from "../markets/index.ts";
import { acceptTerms, termsDue, termsOf, wordsIn } from "./terms.ts";

const BODY_BYTES_MAX = 1_024;
/** The most versions that a list has. */
const LISTED_MAX = 100;

/** The terms of use as the caller sees them: what waits, every version that held, and to accept the newest. */
export function createTerms(
  { db: { kysely: db } }: Pick<PlatformDeps, "db">,
  app: FastifyInstance,
  guard: Guard,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();

  async function answerTo(playerId: string, language: Language): Promise<TermsAnswer> {
    const { termsBefore } = await rulesOf(db.withTables<MarketTables>(), { playerId });
    const versions = await termsOf(db, playerId, { limit: LISTED_MAX });
    return {
      due: await termsDue(db, playerId),
      before: [...termsBefore],
      versions: versions.map(({ number, validFrom, texts, acceptedAt }) => ({
        number,
        validFrom: validFrom.toISOString(),
        acceptedAt: acceptedAt?.toISOString() ?? null,
        title: wordsIn(texts, language).words.title,
      })),
    };
  }

  const { query } = calls.terms;
  typed.get(`/v1/${calls.terms.path}`, { onRequest: guard, schema: { querystring: query } }, async (request, reply) => {
    const { playerId } = callerOf(request);
    return await reply.header("cache-control", "no-store").send(await answerTo(playerId, request.query.language));
  });

  const params = z.object({ number: z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(1_000_000)) });
  typed.get(
    `/v1/${calls.termsText.path.replace("{number}", ":number")}`,
    { onRequest: guard, schema: { querystring: query, params } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      const [found] = await termsOf(db, playerId, { number: request.params.number, limit: 1 });
      if (found === undefined)
        return sendProblem(reply, { name: "request.invalid", detail: "no terms of this number hold or held" }, 404);
      const { language, words } = wordsIn(found.texts, request.query.language);
      return await reply.header("cache-control", "no-store").send({
        number: found.number,
        validFrom: found.validFrom.toISOString(),
        acceptedAt: found.acceptedAt?.toISOString() ?? null,
        language,
        ...words,
      });
    },
  );

  const { path, body } = calls.acceptTerms;
  typed.post(
    `/v1/${path}`,
    { onRequest: guard, bodyLimit: BODY_BYTES_MAX, schema: { body } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      if (!(await acceptTerms(db, playerId, request.body.number))) return sendProblem(reply, { name: "terms.other" });
      return await reply.header("cache-control", "no-store").send(await answerTo(playerId, "en"));
    },
  );
}
