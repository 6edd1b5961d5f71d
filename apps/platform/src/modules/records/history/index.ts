import { calls } from "@longarm/contract/http";
import { OwnId } from "@longarm/contract/ids";
import { GameId, recordCalls } from "@longarm/contract/player-record";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import * as z from "zod/mini";
import type { PlatformDeps } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import { lastGames, readGame } from "./games.ts";
import type { Listed, Query, Refused } from "./list.ts";
import { list } from "./list.ts";
import type { HistoryDb } from "./listing.ts";
import { readRecent } from "./recent.ts";
import { readSession } from "./session.ts";
import { sessions } from "./sessions.ts";
import { readStatement } from "./statement.ts";
import type { HistoryTables } from "./tables.ts";
import { transactions } from "./transactions.ts";

/** What the caller has played, as a list and one play session, and every change of the caller's wallet. */
export function createHistory({ db }: Pick<PlatformDeps, "db">, app: FastifyInstance, guard: Guard): void {
  const tables = db.kysely.withTables<HistoryTables>();
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const serve = (
    { path, query: querystring }: typeof calls.sessions | typeof calls.transactions,
    read: (playerId: string, query: Query) => Promise<Listed<unknown> | Refused>,
  ): void => {
    typed.get(`/v1/${path}`, { onRequest: guard, schema: { querystring } }, async (request, reply) => {
      const listed = await read(callerOf(request).playerId, request.query);
      if (listed.is === "refused") return sendProblem(reply, listed.problem);
      return await reply.header("cache-control", "no-store").send(listed.answer);
    });
  };
  const params = z.object({ id: OwnId });
  typed.get("/v1/player/sessions/:id", { onRequest: guard, schema: { params } }, async (request, reply) => {
    const session = await readSession(tables, callerOf(request).playerId, request.params.id);
    if (session === undefined) {
      return sendProblem(reply, { name: "request.invalid", detail: "no play session of the caller has this id" }, 404);
    }
    return await reply.header("cache-control", "no-store").send(session);
  });
  serve(calls.sessions, (playerId, query) => list(tables, sessions, playerId, query));
  serve(calls.transactions, (playerId, query) => list(tables, transactions, playerId, query));
  createRecord(tables, app, guard);
}

/** What the caller's record says: what was played lately, the last games, a year (record 0206). */
function createRecord(tables: HistoryDb, app: FastifyInstance, guard: Guard): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const own = { onRequest: guard };
  const fresh = (reply: FastifyReply) => reply.header("cache-control", "no-store");
  typed.get(`/v1/${recordCalls.recent.path}`, own, async (request, reply) =>
    fresh(reply).send(await readRecent(tables, callerOf(request).playerId)),
  );
  const { games, statement } = recordCalls;
  typed.get(`/v1/${games.path}`, { ...own, schema: { querystring: games.query } }, async (request, reply) =>
    fresh(reply).send({ games: await lastGames(tables, callerOf(request).playerId, request.query.session) }),
  );
  const params = z.object({ id: GameId });
  typed.get("/v1/player/games/:id", { ...own, schema: { params } }, async (request, reply) => {
    const game = await readGame(tables, callerOf(request).playerId, request.params.id);
    if (game === undefined) {
      return sendProblem(reply, { name: "request.invalid", detail: "no game of the caller has this id" }, 404);
    }
    return await fresh(reply).send(game);
  });
  typed.get(`/v1/${statement.path}`, { ...own, schema: { querystring: statement.query } }, async (request, reply) =>
    fresh(reply).send(await readStatement(tables, callerOf(request).playerId, request.query.year)),
  );
}

export type { GameOfPlayer } from "./games.ts";
export { gameOn, lastGames, readGame } from "./games.ts";
export { readStatement } from "./statement.ts";
export type { HistoryTables } from "./tables.ts";

/** For queries of other rooms: a player's deposits since then, gross, each with its time (`at`) and `amount` in minor units. Corrections are none. */
export function depositsOf(playerId: string | RawBuilder<unknown>, since: RawBuilder<Date>): RawBuilder<unknown> {
  return sql`select w.at, w.amount from wallet_entry w join ledger.transfers t on t.id = w.transfer_id
    where w.player_id = ${playerId} and w.type = 1 and w.source = 'Cage' and w.at > ${since} and t.kind = 'deposit'`;
}

/** The same of withdrawals at the cage; amounts above zero. */
export function withdrawalsOf(playerId: string | RawBuilder<unknown>, since: RawBuilder<Date>): RawBuilder<unknown> {
  return sql`select w.at, -w.amount as amount from wallet_entry w join ledger.transfers t on t.id = w.transfer_id
    where w.player_id = ${playerId} and w.type = 2 and w.at > ${since} and t.kind = 'withdraw'`;
}
