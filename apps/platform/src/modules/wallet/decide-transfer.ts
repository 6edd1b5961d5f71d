import { machineAccount, playerAccount } from "@longarm/ledger/rules/address";
import { databaseNow } from "../../play-base/database-time.ts";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import type { OpenSeat, Seats } from "../seats/index.ts";
import type { TransferRow } from "./transfer-row.ts";
import { findTransfer } from "./transfer-row.ts";

/** What the machine is known to have done with a transfer. */
export type KnownOutcome =
  | { readonly is: "done"; readonly amount: number }
  | { readonly is: "refused"; readonly reason: string };

/** The ledger refused what must be possible: a bug. Everything of the transaction is taken back and the transfer stays open. */
export class LedgerBroken extends Error {
  override readonly name = "LedgerBroken";
}

/**
 * Books the known outcome of a transfer and decides it, in one transaction with the seat; a decided one stays as it is.
 * @returns the row as it is decided.
 */
export async function decideTransfer(
  deps: PlayPartDeps,
  seats: Seats,
  transfer: Pick<TransferRow, "id" | "machine_id">,
  outcome: KnownOutcome,
): Promise<TransferRow> {
  return await seats.within(transfer.machine_id, async (seat) => {
    const row = await findTransfer(seat.trx, transfer.id);
    if (row === undefined) throw new LedgerBroken(`the transfer ${transfer.id} is not written down`);
    if (row.state === "done" || row.state === "refused") return row;
    const amount = outcome.is === "done" ? capped(deps, row, outcome.amount) : 0;
    await book(deps, seat, row, amount, outcome.is === "refused" ? outcome.reason : "nothing was moved");
    const decided = await seat.trx
      .updateTable("machine_transfer")
      .set({
        state: outcome.is,
        amount,
        reason: outcome.is === "refused" ? outcome.reason : null,
        decided_at: databaseNow(),
      })
      .where("id", "=", row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await follow(seat, row, amount);
    return decided;
  });
}

/** A machine cannot take more than was held for it, nor give more than it was asked for; if it says so, people must look. */
function capped(deps: PlayPartDeps, row: TransferRow, amount: number): number {
  if (row.asked === null || amount <= row.asked) return amount;
  const { id, machine_id: machineId, direction, asked } = row;
  deps.log.error(
    { alarm: "transfer", id, machineId, direction, asked, amount },
    "a machine says it moved more than it was asked to",
  );
  return row.asked;
}

async function book(
  deps: PlayPartDeps,
  seat: OpenSeat,
  row: TransferRow,
  amount: number,
  reason: string,
): Promise<void> {
  const ledger = deps.ledger.within(seat.trx);
  if (row.direction === "cashIn") {
    const resolved =
      amount > 0 ? await ledger.post(row.id, { amountMinor: amount }) : await ledger.void(row.id, reason);
    if (resolved.is === "refused") throw new LedgerBroken(`the hold ${row.id}: ${resolved.problem.detail}`);
  } else if (amount > 0) {
    const moved = await ledger.transfer({
      id: row.id,
      kind: "cashOut",
      from: machineAccount(row.machine_id),
      to: playerAccount(row.player_id),
      amountMinor: amount,
      about: { playSessionId: row.play_session_id, machineId: row.machine_id, actor: `player:${row.player_id}` },
    });
    if (moved.is === "refused") throw new LedgerBroken(`the cash-out ${row.id}: ${moved.problem.detail}`);
  }
}

/** What a decided transfer means for the play session, the seat and everybody who looks. */
async function follow(seat: OpenSeat, row: TransferRow, amount: number): Promise<void> {
  const column = row.direction === "cashIn" ? "cashed_in" : "cashed_out";
  if (amount > 0) {
    await seat.trx
      .updateTable("play_session")
      .set((eb) => ({ [column]: eb(column, "+", amount) }))
      .where("id", "=", row.play_session_id)
      .execute();
  }
  seat.announce("balance.changed", { playerId: row.player_id });
  if (row.state === "unknown") {
    await seat.happen("transferDecided");
    const told = { machineId: row.machine_id, playerId: row.player_id, id: row.told_id ?? row.id };
    seat.announce("transfer.decided", { ...told, outcome: amount > 0 ? "done" : "refused", amount });
    return;
  }
  if (amount === 0) return;
  const { credit } = await seat.facts();
  await seat.happen(credit > 0 ? "credited" : "emptied");
}

/** Notes that nobody knows the outcome of a transfer that was asked. A decided one stays as it is. */
export async function markUnknown(seat: OpenSeat, transferId: string): Promise<void> {
  const marked = await seat.trx
    .updateTable("machine_transfer")
    .set({ state: "unknown" })
    .where("id", "=", transferId)
    .where("state", "=", "asking")
    .returning("player_id")
    .executeTakeFirst();
  if (marked === undefined) return;
  await seat.happen("transferUnknown");
  seat.announce("balance.changed", { playerId: marked.player_id });
}
