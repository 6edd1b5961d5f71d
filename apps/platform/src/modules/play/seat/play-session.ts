import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { EndReason, PlayTables, PlayTransaction } from "../tables.ts";

/* The table `play_session`: one player on one machine from sitting down to the end. Only these functions write it, under the seat's lock. */

export type NewPlaySession = { readonly id: string; readonly machineId: string; readonly playerId: string };

export async function beginPlaySession(
  trx: PlayTransaction,
  { id, machineId, playerId }: NewPlaySession,
): Promise<void> {
  await trx.insertInto("play_session").values({ id, machine_id: machineId, player_id: playerId }).execute();
}

export async function endPlaySession(trx: PlayTransaction, id: string | null, reason: EndReason): Promise<void> {
  await trx
    .updateTable("play_session")
    .set({ ended_at: databaseNow(), end_reason: reason })
    .where("id", "=", id)
    .execute();
}

/** A game was booked. Amounts in minor units. Once a machine does not say the free spins of one, those of the play session are unknown. */
export async function addGame(
  trx: PlayTransaction,
  id: string,
  { stake, win, freeSpins }: { readonly stake: number; readonly win: number; readonly freeSpins?: number | undefined },
): Promise<void> {
  await trx
    .updateTable("play_session")
    .set((eb) => ({
      net: eb("net", "+", win - stake),
      games: eb("games", "+", 1),
      free_spins: eb("free_spins", "+", freeSpins ?? null),
    }))
    .where("id", "=", id)
    .execute();
}

/** Money went between wallet and machine, minor units. */
export async function addTransfer(
  trx: PlayTransaction,
  id: string,
  direction: "cashIn" | "cashOut",
  amount: number,
): Promise<void> {
  const column = direction === "cashIn" ? "cashed_in" : "cashed_out";
  await trx
    .updateTable("play_session")
    .set((eb) => ({ [column]: eb(column, "+", amount) }))
    .where("id", "=", id)
    .execute();
}

/** What all ended play sessions of a player have cost, minor units; below zero: won. A game that was reported late is in it too. */
export async function netLossOf(db: Pick<Kysely<PlayTables>, "selectFrom">, playerId: string): Promise<number> {
  const { loss } = await db
    .selectFrom("play_session")
    .select(sql<number>`coalesce(-sum(net), 0)::bigint`.as("loss"))
    .where("player_id", "=", playerId)
    .where("ended_at", "is not", null)
    .executeTakeFirstOrThrow();
  return loss;
}

export type PlayedIn = { readonly from: string; readonly until: string; readonly brand?: string | undefined };

/** For queries of other rooms: whether the player of the column `id` finished a game in a play session that began in this time, on a machine of this brand. */
export function hasPlayed(id: string, { from, until, brand }: PlayedIn): RawBuilder<boolean> {
  return sql<boolean>`exists (select from play_session s join machine m on m.id = s.machine_id where s.player_id = ${sql.ref(id)} and s.games > 0
    and s.started_at >= ${from} and s.started_at < ${until} and (${brand ?? null}::text is null or m.facts ->> 'brand' = ${brand ?? null}))`;
}
