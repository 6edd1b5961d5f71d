import type { MeansAnswer } from "@longarm/contract/player-care";
import { letterCalls as calls } from "@longarm/contract/player-care";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { PlatformDeps } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import type { MarketTables } from "../markets/index.ts";
import { marketsOf, rulesOf } from "../markets/index.ts";
import { declaredNow, declareOwnMeans, lastDeclared } from "./notes.ts";

const BODY_BYTES_MAX = 1_024;
const DAY_S = 86_400;

/** What the caller says can be lost in a month; wanted where a market looks at losses against it. */
export function createMeans(
  { db: { kysely: db } }: Pick<PlatformDeps, "db">,
  app: FastifyInstance,
  guard: Guard,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();

  async function answerTo(playerId: string): Promise<MeansAnswer> {
    const tables = db.withTables<MarketTables>();
    const { careMeasures } = await rulesOf(tables, { playerId });
    const wanted = careMeasures.includes("netLoss") && (await marketsOf(tables, playerId)).length > 0;
    return { wanted, declared: await lastDeclared(db, playerId), counts: await declaredNow(db, playerId) };
  }

  typed.get(`/v1/${calls.means.path}`, { onRequest: guard }, async (request, reply) =>
    reply.header("cache-control", "no-store").send(await answerTo(callerOf(request).playerId)),
  );

  const { path, body } = calls.declareMeans;
  typed.post(
    `/v1/${path}`,
    { onRequest: guard, bodyLimit: BODY_BYTES_MAX, schema: { body } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      if (!(await declareOwnMeans(db, playerId, request.body.amount)))
        return sendProblem(reply, { name: "request.too_many", params: { seconds: DAY_S } });
      return await reply.header("cache-control", "no-store").send(await answerTo(playerId));
    },
  );
}
