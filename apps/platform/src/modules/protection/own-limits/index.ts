import type { Call } from "@longarm/contract/call";
import { limitCalls } from "@longarm/contract/player-limits";
import type { CheckMinutes } from "@longarm/contract/player-protection";
import type { Problem } from "@longarm/contract/problems";
import { runTransaction } from "@longarm/database/run-transaction";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Kysely } from "kysely";
import type * as z from "zod/mini";
import type { PlatformDeps } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import type { CheckTables } from "../checks/index.ts";
import { chooseCheck, mayChoose } from "../checks/index.ts";
import type { LimitsTables, SetLimit } from "../limits/index.ts";
import {
  answerLimit,
  answerOffer,
  holdsFrom,
  limitNameOf,
  limitPartsOf,
  looserWishesOf,
  readNews,
  setLimit,
  standingLimits,
  takeLimitBack,
} from "../limits/index.ts";
import { rulesOf } from "../markets/index.ts";
import type { Viewer } from "./own-limits.ts";
import { ownLimits, previewOf } from "./own-limits.ts";

export { ownLimits } from "./own-limits.ts";

/** How many looser limits a player may request within a day; each is a row for ever. Stricter ones are never counted. */
export const LOOSER_WISHES_MAX = 20;
const DAY_S = 86_400;
const HOUR_S = 3_600;
const BODY_BYTES_MAX = 1_024;

type Db = Kysely<LimitsTables>;

/** A player's own limits: GET and POST /v1/player/limits, and what becomes of a looser one that waits. */
export function createOwnLimits(
  { db: { kysely }, config }: Pick<PlatformDeps, "db" | "config">,
  app: FastifyInstance,
  guard: Guard,
): void {
  const db = kysely.withTables<LimitsTables>();
  const { timeZone } = config.staff.venue;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const viewerOf = (request: Parameters<typeof callerOf>[0]): Viewer => ({ ...callerOf(request), timeZone });
  typed.get(`/v1/${limitCalls.limits.path}`, { onRequest: guard }, async (request, reply) =>
    reply.header("cache-control", "no-store").send(await ownLimits(db, viewerOf(request))),
  );
  /** Changes something and answers the limits as they are then. */
  const change = <C extends Call & { readonly body: z.ZodMiniType }>(
    { path, body }: C,
    make: (viewer: Viewer, wanted: z.output<C["body"]>) => Promise<Problem | null>,
  ): void => {
    typed.post(
      `/v1/${path}`,
      { onRequest: guard, bodyLimit: BODY_BYTES_MAX, schema: { body: body as z.ZodMiniType } },
      async (request, reply) => {
        const viewer = viewerOf(request);
        const problem = await make(viewer, request.body as z.output<C["body"]>);
        if (problem !== null) return sendProblem(reply, problem);
        return await reply.header("cache-control", "no-store").send(await ownLimits(db, viewer));
      },
    );
  };
  const orderOf = (playerId: string, { key, value }: z.output<typeof limitCalls.setLimit.body>): SetLimit => ({
    ...limitPartsOf(key),
    ...{ value, playerId, owner: "player", by: `player:${playerId}`, timeZone },
  });
  typed.post(
    `/v1/${limitCalls.previewLimit.path}`,
    { onRequest: guard, bodyLimit: BODY_BYTES_MAX, schema: { body: limitCalls.previewLimit.body } },
    async (request, reply) => {
      const order = orderOf(callerOf(request).playerId, request.body);
      return await reply.header("cache-control", "no-store").send(await previewOf(db, order));
    },
  );
  change(limitCalls.setLimit, ({ playerId }, wanted) => setOwnLimit(db, orderOf(playerId, wanted)));
  change(limitCalls.declineLimits, async ({ playerId }, { answer }) => {
    await answerOffer(db, playerId, answer);
    return null;
  });
  change(limitCalls.readLimitNews, async ({ playerId }, { id }) => {
    await readNews(db, playerId, Number(id));
    return null;
  });
  change(limitCalls.chooseCheck, ({ playerId }, { minutes }) => chooseInterval(db, playerId, minutes));
  change(limitCalls.takeLimitBack, async ({ playerId }, { id }) =>
    (await takeLimitBack(db, { playerId, id: Number(id), by: `player:${playerId}` })) ? null : NOT_WAITING,
  );
  change(limitCalls.answerLimit, async ({ playerId }, { id, wanted }) =>
    (await answerLimit(db, { playerId, id: Number(id), by: `player:${playerId}` }, wanted)) ? null : NOT_WAITING,
  );
}

/** Problems: request.invalid (the market wants a check more often), request.too_many (within an hour). */
async function chooseInterval(db: Db, playerId: string, minutes: CheckMinutes | null): Promise<Problem | null> {
  if (!mayChoose(await rulesOf(db, { playerId }), minutes))
    return { name: "request.invalid", detail: "the market wants a reality check more often" };
  if (await chooseCheck(db.withTables<CheckTables>(), playerId, minutes)) return null;
  return { name: "request.too_many", params: { seconds: HOUR_S } };
}

const NOT_WAITING: Problem = { name: "limit.not_waiting" };

/** Sets it, unless it is so already: a repeat makes no row. Problem: request.too_many (too many looser wishes within a day). */
async function setOwnLimit(db: Db, order: SetLimit): Promise<Problem | null> {
  const own = (await standingLimits(db, order.playerId)).filter(
    (one) =>
      one.owner === "player" && limitNameOf(one) === limitNameOf({ kind: order.kind, period: order.period ?? "day" }),
  );
  const newest = own.at(-1);
  const known = newest === undefined ? null : newest.value;
  if (known === order.value) return null;
  if ((await holdsFrom(db, order)) === "later" && (await looserWishesOf(db, order.playerId)) >= LOOSER_WISHES_MAX)
    return { name: "request.too_many", params: { seconds: DAY_S } };
  await runTransaction(db, async (trx) => {
    await answerOffer(trx, order.playerId, "set");
    await setLimit(trx, order);
  });
  return null;
}
