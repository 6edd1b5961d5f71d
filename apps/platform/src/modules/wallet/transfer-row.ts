import type { Selectable } from "kysely";
import { isOpen } from "../../play-base/open-transfer.ts";
import type { PlayDb, PlayTables, PlayTransaction } from "../../play-tables.ts";

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

/** The one transfer of a machine whose outcome is open. */
export async function openTransferOf(db: PlayDb, machineId: string): Promise<TransferRow | undefined> {
  return await db
    .selectFrom("machine_transfer")
    .selectAll()
    .where("machine_id", "=", machineId)
    .where(isOpen())
    .executeTakeFirst();
}
