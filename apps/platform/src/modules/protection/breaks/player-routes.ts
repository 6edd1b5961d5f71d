import { CODE_OK } from "@longarm/contract/call";
import { breakCalls as calls } from "@longarm/contract/player-breaks";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { AnyDb, PlatformDeps } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import type { MarketTables } from "../markets/index.ts";
import { rulesOf } from "../markets/index.ts";
import type { OnBreak } from "./breaks.ts";
import { beginBreak, breakOf, closedBy, lengthsBy, panicHoursBy, reopen } from "./breaks.ts";

const BODY_BYTES_MAX = 1_024;

export type BreaksParts = Pick<PlatformDeps, "db" | "bus" | "log"> & {
  readonly guard: Guard;
  /** Ends the play of a player who is on a break: a running game is finished, credits go home. */
  endPlay(playerId: string): Promise<unknown>;
};

/** The caller's breaks from play: which there are, to begin one, and to open play again after an exclusion. */
export function createBreaks({ db: { kysely }, bus, log, guard, endPlay }: BreaksParts, app: FastifyInstance): void {
  const db: AnyDb = kysely;
  const rules = (playerId: string) => rulesOf(db.withTables<MarketTables>(), { playerId });
  const typed = app.withTypeProvider<ZodTypeProvider>();

  async function answerTo(playerId: string, now: OnBreak | undefined) {
    const mine = await rules(playerId);
    return { closed: now === undefined ? null : closedBy(now), ...lengthsBy(mine), panicHours: panicHoursBy(mine) };
  }

  typed.get(`/v1/${calls.breaks.path}`, { onRequest: guard }, async (request, reply) => {
    const { playerId } = callerOf(request);
    return await reply.header("cache-control", "no-store").send(await answerTo(playerId, await breakOf(db, playerId)));
  });

  const { path, body } = calls.beginBreak;
  typed.post(
    `/v1/${path}`,
    { onRequest: guard, bodyLimit: BODY_BYTES_MAX, schema: { body } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      const by = `player:${playerId}`;
      const begun = await beginBreak(db, await rules(playerId), { playerId, wanted: request.body, by });
      if (begun === undefined)
        return sendProblem(reply, { name: "request.invalid", detail: "there is no break of this length here" });
      // The break holds already; a machine that is slow to pay out must not keep the answer.
      endPlay(playerId).catch((error: unknown) =>
        log.error({ err: error, playerId }, "the play of a player on a break did not end at once, it is tried again"),
      );
      bus.publish("session.changed", { playerId });
      return await reply.header("cache-control", "no-store").send(await answerTo(playerId, begun));
    },
  );

  typed.post(`/v1/${calls.reopenPlay.path}`, { onRequest: guard }, async (request, reply) => {
    const { playerId } = callerOf(request);
    const opened = await reopen(db, playerId);
    if (opened === undefined) return sendProblem(reply, { name: "break.not_over" });
    return await reply
      .header("cache-control", "no-store")
      .send({ code: CODE_OK, ...(await answerTo(playerId, opened)) });
  });
}
