import { calls } from "@longarm/contract/http";
import { OwnId } from "@longarm/contract/ids";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import * as z from "zod/mini";
import type { PlatformDeps } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import type { Listed, Query, Refused } from "./list.ts";
import { list } from "./list.ts";
import { readSession } from "./session.ts";
import { sessions } from "./sessions.ts";
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
}

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
