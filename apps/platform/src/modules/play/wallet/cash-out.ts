import { machineAccount } from "@longarm/ledger/rules/address";
import type { OpenSeat } from "../seat/index.ts";
import type { MoneyCommand } from "./cash-in.ts";
import { checkHolder, checkNoneOpen, checkState, checkWholeCredits, looseEndOf, sameContent } from "./cash-in.ts";
import { orUnknown } from "./loose-ends.ts";
import type { MoneyOutcome, TransferHead, TransferParts } from "./run-transfer.ts";
import { moneyOutcome, runTransfer } from "./run-transfer.ts";
import { transferIdOf } from "./transfer-id.ts";
import type { TransferRow } from "./transfer-row.ts";
import { findTransfer, insertTransfer, openTransferOf } from "./transfer-row.ts";

type Begun = { readonly row: TransferRow | null; readonly head: TransferHead };

/**
 * Machine to wallet: the intent, then the machine is asked, then what it gave is booked. No amount: everything.
 * Refuses with: session.not_yours, seat.stale_epoch, what the seat's state says, transfer.id_conflict, transfer.being_checked,
 * machine.unreachable, machine.locked, transfer.amount_outside_limits.
 */
export async function cashOut(parts: TransferParts, command: MoneyCommand): Promise<MoneyOutcome> {
  parts.deps.steps("cashOut.received");
  return await orUnknown(parts, looseEndOf(command), async () => {
    const begun = await parts.seats.within(command.machineId, (seat) => beginCashOut(parts, seat, command));
    return begun.row === null ? await runTransfer(parts, begun.head) : moneyOutcome(begun.row);
  });
}

async function beginCashOut(parts: TransferParts, seat: OpenSeat, command: MoneyCommand): Promise<Begun> {
  const id = transferIdOf(command.playerId, command.id);
  const head = {
    id,
    machine_id: command.machineId,
    epoch: command.epoch,
    direction: "cashOut" as const,
    asked: command.amount,
  };
  const known = await findTransfer(seat.trx, id);
  if (known) return { row: sameContent(known, command, "cashOut"), head };
  checkHolder(seat, command);
  checkState(seat, "cashOut");
  await checkWholeCredits(seat, command.amount);
  await checkNoneOpen(seat);
  await writeCashOut(parts, seat, head, command.id);
  return { row: null, head };
}

async function writeCashOut(
  { deps }: TransferParts,
  seat: OpenSeat,
  head: TransferHead,
  toldId: string | null,
): Promise<void> {
  const account = await deps.ledger.within(seat.trx).account(machineAccount(head.machine_id));
  const playerId = seat.row.player_id ?? "";
  await insertTransfer(seat.trx, {
    ...head,
    told_id: toldId,
    play_session_id: seat.row.play_session_id ?? "",
    player_id: playerId,
    expected: Math.max(0, Math.min(account.balanceMinor, head.asked ?? account.balanceMinor)),
    node_id: deps.config.play.NODE_ID,
  });
  seat.announce("balance.changed", { playerId });
}

/**
 * The cash-out of everything at the end of a play session, under an id of the platform's own.
 * @returns null when there is nothing to do for it: another transfer is open, or the play session is not ending.
 */
export async function cashOutAll(parts: TransferParts, machineId: string, id: string): Promise<MoneyOutcome | null> {
  return await orUnknown(parts, { machineId, transferId: id, told: null }, async () => {
    const head = await parts.seats.within(machineId, (seat) => beginCashOutAll(parts, seat, id));
    return head === null ? null : await runTransfer(parts, head);
  });
}

async function beginCashOutAll(parts: TransferParts, seat: OpenSeat, id: string): Promise<TransferHead | null> {
  const { machine_id, epoch, state } = seat.row;
  if (state !== "ending" || (await openTransferOf(seat.trx, machine_id))) return null;
  const written: TransferHead = { id, machine_id, epoch, direction: "cashOut", asked: null };
  await writeCashOut(parts, seat, written, null);
  return written;
}
