import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { Topics } from "../../../bus/index.ts";
import type { PlayDb, PlayTables, PlayTransaction } from "../tables.ts";
import { isOpen } from "../tables.ts";

export type TransferRow = Selectable<PlayTables["machine_transfer"]>;
export type NewTransfer = Pick<
  TransferRow,
  | "id"
  | "told_id"
  | "machine_id"
  | "play_session_id"
  | "player_id"
  | "epoch"
  | "direction"
  | "asked"
  | "expected"
  | "node_id"
>;

/** Writes down that the machine will be asked. To be committed before the agent hears of it. */
export async function insertTransfer(trx: PlayTransaction, transfer: NewTransfer): Promise<void> {
  await trx.insertInto("machine_transfer").values(transfer).execute();
}

export async function findTransfer(trx: PlayTransaction, id: string): Promise<TransferRow | undefined> {
  return await trx.selectFrom("machine_transfer").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function isKnownTransfer(db: PlayDb, id: string): Promise<boolean> {
  const row = await db.selectFrom("machine_transfer").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

/** The one transfer of a machine whose outcome is open. */
export async function openTransferOf(db: PlayDb, machineId: string): Promise<TransferRow | undefined> {
  return await db
    .selectFrom("machine_transfer")
    .selectAll()
    .where("machine_id", "=", machineId)
    .where(isOpen())
    .executeTakeFirst();
}

/** A page repeats an undecided command for two minutes; older outcomes are in its history. */
const DECIDED_WITHIN_MS = 150_000;
const DECIDED_ROWS = 20;

/** What became lately of the player's own transfers in the play session that now runs on a machine, as it is announced. */
export async function decidedLately(db: PlayDb, machineId: string): Promise<readonly Topics["transfer.decided"][]> {
  const rows = await db
    .selectFrom("machine_transfer")
    .select(["told_id", "player_id", "state", "amount"])
    .where("play_session_id", "=", (eb) =>
      eb.selectFrom("seat").select("seat.play_session_id").where("seat.machine_id", "=", machineId),
    )
    .where("told_id", "is not", null)
    .where("state", "in", ["done", "refused"])
    .where("decided_at", ">", sql<Date>`clock_timestamp() - ${DECIDED_WITHIN_MS} * interval '1 millisecond'`)
    .orderBy("decided_at", "desc")
    .limit(DECIDED_ROWS)
    .execute();
  return rows.map(({ told_id, player_id: playerId, state, amount }) => ({
    machineId,
    playerId,
    id: told_id ?? "",
    outcome: state === "done" && amount > 0 ? "done" : "refused",
    amount,
  }));
}
