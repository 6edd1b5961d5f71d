import type { ColumnType, Kysely, RawBuilder } from "kysely";
import { databaseNow } from "../../../database-time.ts";

/** Tables of `migrations/restores`. */
export type RestoresTables = {
  restore_run: {
    id: string;
    restored_at: ColumnType<Date, never, never>;
    taken_at: Date;
    file_sha256: string;
    restored_by: string;
  };
  restored_machine: {
    machine_id: string;
    restore_id: string;
    epoch: number;
    first_seq: number | null;
    compared_at: ColumnType<Date | null, null, RawBuilder<Date>>;
    moved: boolean | null;
  };
};

type Db = Pick<Kysely<RestoresTables>, "selectFrom" | "updateTable">;

/** Of these machines, those that a restore left to be compared with the books, each with the epoch that the backup knew. */
export async function uncompared(
  db: Db,
  machineIds: readonly string[],
): Promise<{ machineId: string; epoch: number }[]> {
  if (machineIds.length === 0) return [];
  return await db
    .selectFrom("restored_machine")
    .select(["machine_id as machineId", "epoch"])
    .where("machine_id", "in", machineIds)
    .where("compared_at", "is", null)
    .execute();
}

/**
 * Whether an event may come with a number that is not the next one: once after a restore. The events between were sent to the database
 * of before, and its agent has forgotten it.
 */
export async function isFirstSinceRestore(db: Db, machineId: string, seq: number): Promise<boolean> {
  const noted = await db
    .updateTable("restored_machine")
    .set({ first_seq: seq })
    .where("machine_id", "=", machineId)
    .where("first_seq", "is", null)
    .executeTakeFirst();
  return noted.numUpdatedRows > 0n;
}

/** The machine is compared with the books. `moved`: it has continued since the backup. */
export async function noteCompared(db: Db, machineId: string, moved: boolean): Promise<void> {
  await db
    .updateTable("restored_machine")
    .set({ compared_at: databaseNow(), moved })
    .where("machine_id", "=", machineId)
    .execute();
}
