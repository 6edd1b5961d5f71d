import { sql } from "kysely";
import { decideTransfer, LedgerBroken, markUnknown } from "./decide-transfer.ts";
import type { TransferParts } from "./run-transfer.ts";
import type { TransferRow } from "./transfer-row.ts";
import { openTransferOf } from "./transfer-row.ts";

/** No request to an agent is open for longer, ms: an older one that is still *asking* was left by a node that has ended. */
const ASKING_MS_MAX = 30_000;

/** A node that starts asks nobody any more: what its former life was asking is unknown. */
export async function markOwnUnknown({ deps, seats }: TransferParts): Promise<void> {
  const rows = await deps.db
    .selectFrom("machine_transfer")
    .select(["id", "machine_id"])
    .where("state", "=", "asking")
    .where("node_id", "=", deps.config.play.NODE_ID)
    .execute();
  for (const { id, machine_id } of rows) await seats.within(machine_id, (seat) => markUnknown(seat, id));
}

/** The same for what nodes that never came back were asking. */
export async function markLeftUnknown({ deps, seats }: TransferParts): Promise<void> {
  const rows = await deps.db
    .selectFrom("machine_transfer")
    .select(["id", "machine_id"])
    .where("state", "=", "asking")
    .where("created_at", "<", sql<Date>`clock_timestamp() - ${ASKING_MS_MAX} * interval '1 millisecond'`)
    .execute();
  for (const { id, machine_id } of rows) await seats.within(machine_id, (seat) => markUnknown(seat, id));
}

/**
 * Asks the machine's own record of its unknown transfer and books what it says. Pending, silence and no link leave it as it is:
 * time may ask, it never decides.
 * @returns true when the machine has no unknown transfer any more.
 */
export async function recoverTransfer(parts: TransferParts, machineId: string): Promise<boolean> {
  const { deps, seats, agents } = parts;
  const open = await deps.db.transaction().execute((trx) => openTransferOf(trx, machineId));
  if (open?.state !== "unknown") return open === undefined;
  const answer = await agents.ask("egm.transfer", { machineId, transferId: open.id });
  if (answer.is !== "done" || answer.data.record === "pending") return alarmWhenOld(parts, open);
  const { record, amount } = answer.data;
  try {
    await decideTransfer(
      deps,
      seats,
      open,
      record === "done" ? { is: "done", amount } : { is: "refused", reason: record },
    );
    deps.log.info(
      { transferId: open.id, machineId, record, amount },
      "an unknown transfer is decided by the machine's record",
    );
    return true;
  } catch (error) {
    if (!(error instanceof LedgerBroken)) throw error;
    deps.log.error({ err: error, alarm: "transfer", transferId: open.id }, "an unknown transfer could not be booked");
    return false;
  }
}

function alarmWhenOld({ deps }: TransferParts, open: TransferRow): false {
  const ageMs = deps.clock.now() - open.created_at.getTime();
  const { id: transferId, machine_id: machineId, direction } = open;
  if (ageMs > deps.config.play.TRANSFER_ALARM_MS) {
    const facts = { transferId, machineId, direction, ageMs };
    deps.alarms.raise("transfer", transferId, facts, "a transfer is unknown for too long");
  }
  return false;
}
