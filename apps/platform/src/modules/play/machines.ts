import { OwnId } from "@longarm/contract/ids";
import type { Meters } from "@longarm/contract/machine";
import type { Insertable, Kysely } from "kysely";
import { sql } from "kysely";
import * as z from "zod/mini";
import { databaseNow } from "../../database-time.ts";
import type { AnyDb } from "../../deps.ts";
import { isInService } from "./seat/index.ts";
import type { JackpotNow, MachineFactsKept, MetersNow, PlayTables, PlayTransaction } from "./tables.ts";

/*
 * The table `machine`: what each machine's agent last reported of it. Only these functions write it, each under the seat's lock unless its
 * comment says otherwise.
 */

type Db = Pick<Kysely<PlayTables>, "selectFrom" | "updateTable">;

/** Whether there is such a machine, whatever the text: the database cannot be queried for every text. */
export async function machineExists(db: Kysely<unknown>, machineId: string): Promise<boolean> {
  if (!z.safeParse(OwnId, machineId).success) return false;
  const tables = db.withTables<PlayTables>();
  return (await tables.selectFrom("machine").select("id").where("id", "=", machineId).executeTakeFirst()) !== undefined;
}

/** Every machine in service, by id. */
export async function listMachines(db: Kysely<unknown>): Promise<{ id: string; facts: MachineFactsKept }[]> {
  return await db
    .withTables<PlayTables>()
    .selectFrom("machine as m")
    .select(["m.id", "m.facts"])
    .where(isInService())
    .orderBy("m.id")
    .execute();
}

type Hello = Omit<Insertable<PlayTables["machine"]>, "id" | "last_seen_at">;

/** What an agent reports of a machine in its `hello`. The games of a new one were played before it came here. */
export async function storeHello(trx: PlayTransaction, machineId: string, isNew: boolean, hello: Hello): Promise<void> {
  const now = { ...hello, last_seen_at: sql<Date>`clock_timestamp()` };
  if (!isNew) {
    await trx.updateTable("machine").set(now).where("id", "=", machineId).execute();
    return;
  }
  // Another agent may be as quick with a machine that is new to both: it is the link's row that decides.
  await trx
    .insertInto("machine")
    .values({ ...now, id: machineId, taken_game: (JSON.parse(hello.meters) as MetersNow).gamesPlayed })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The venue's own name for a machine. */
export async function renameMachine(db: Db, machineId: string, name: string): Promise<void> {
  await db
    .updateTable("machine")
    .set({ facts: sql`jsonb_set(facts, '{name}', to_jsonb(${name}::text))` })
    .where("id", "=", machineId)
    .execute();
}

/** What is added to the machine's own count of games from now on: its meters began anew. */
export async function storeGamesBase(db: Db, machineId: string, gamesBase: number): Promise<void> {
  await db.updateTable("machine").set({ games_base: gamesBase }).where("id", "=", machineId).execute();
}

/** Jackpots as the agent reports them; outside of any seat's lock, since nothing is decided by them. */
export async function storeJackpots(db: Db, machineId: string, jackpots: readonly JackpotNow[]): Promise<void> {
  const largestFirst = jackpots.toSorted((one, other) => other.amount - one.amount);
  await db
    .updateTable("machine")
    .set({ jackpots: JSON.stringify(largestFirst) })
    .where("id", "=", machineId)
    .execute();
}

/** An event of the agent's journal, with the meters after it. */
export async function storeEvent(
  db: Db,
  machineId: string,
  { seq, at, meters }: { readonly seq: number; readonly at: string; readonly meters: MetersNow },
): Promise<void> {
  await db
    .updateTable("machine")
    .set({ taken_seq: seq, ...metersColumns(meters), meters_at: new Date(at) })
    .where("id", "=", machineId)
    .execute();
}

/** The number of the newest game that is booked. */
export async function storeBookedGame(db: Db, machineId: string, gameNumber: number): Promise<void> {
  await db.updateTable("machine").set({ taken_game: gameNumber }).where("id", "=", machineId).execute();
}

/**
 * Meters that were read at the machine.
 * @param takenSeq the last event that was stored when they were read: an event stored meanwhile has newer meters, and these are dropped.
 * @returns whether they were stored.
 */
export async function storeMeters(
  db: Db,
  machineId: string,
  meters: z.output<typeof Meters>,
  takenSeq?: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("machine")
    .set({ ...metersColumns(meters), meters_at: databaseNow() })
    .where("id", "=", machineId)
    .$if(takenSeq !== undefined, (query) => query.where("taken_seq", "=", takenSeq ?? 0))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether the machine answers its agent. */
export async function storeOffline(db: Db, machineId: string, isOffline: boolean): Promise<void> {
  await db.updateTable("machine").set({ offline: isOffline }).where("id", "=", machineId).execute();
}

function metersColumns(meters: MetersNow) {
  return { meters: JSON.stringify(meters), lockup: meters.lockup ?? null };
}

/** The name of a machine; its id where it has none. */
export async function machineNameOf(db: AnyDb, machineId: string): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`select facts ->> 'name' as name from machine
    where id = ${machineId}`.execute(db);
  return rows[0]?.name ?? machineId;
}
