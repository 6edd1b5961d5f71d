import { machineAccount, playerAccount } from "@longarm/ledger/rules/address";
import type { LimitsTables } from "../../players/limits/index.ts";
import { cashInProblem } from "../limits.ts";
import type { OpenSeat } from "../seat/index.ts";
import { Refusal, rowOfState } from "../seat/index.ts";
import type { LooseEnd } from "./loose-end.ts";
import { orUnknown } from "./loose-ends.ts";
import type { MoneyOutcome, TransferParts } from "./run-transfer.ts";
import { moneyOutcome, runTransfer } from "./run-transfer.ts";
import { transferIdOf } from "./transfer-id.ts";
import type { TransferRow } from "./transfer-row.ts";
import { findTransfer, insertTransfer, isKnownTransfer, openTransferOf } from "./transfer-row.ts";

/** A money command of the player who holds the seat. `id` is the web's own, the same in every repeat. Amounts in minor units. */
export type MoneyCommand = {
  readonly machineId: string;
  readonly playerId: string;
  readonly epoch: number;
  readonly id: string;
  readonly amount: number | null;
};
export type CashInCommand = MoneyCommand & { readonly amount: number };

type Begun = { readonly row: TransferRow | null; readonly head: Parameters<typeof runTransfer>[1] };

/**
 * Wallet to machine: a hold and the intent, then the machine is asked, then the hold is posted or void. `mayBegin`: false while the idle lock
 * holds. A repeat begins nothing, so the lock does not refuse it: its page would take that for the outcome.
 * Refuses with: session.locked, session.not_yours, seat.stale_epoch, what the seat's state says, transfer.amount_outside_limits,
 * machine.locked (staff has taken it out of play), player.excluded, limit.cash_in, limit.loss, transfer.id_conflict, transfer.being_checked, wallet.insufficient_funds, machine.unreachable, machine.locked.
 */
export async function cashIn(
  parts: TransferParts,
  command: CashInCommand,
  mayBegin: () => Promise<boolean>,
): Promise<MoneyOutcome> {
  parts.deps.steps("cashIn.received");
  return await orUnknown(parts, looseEndOf(command), async () => {
    const id = transferIdOf(command.playerId, command.id);
    // A page repeats by itself, which is no sign of its player.
    const isOpen = (await isKnownTransfer(parts.deps.db, id)) || (await mayBegin());
    const begun = await parts.seats.within(command.machineId, (seat) => beginCashIn(parts, seat, command, isOpen));
    return begun.row === null ? await runTransfer(parts, begun.head) : moneyOutcome(begun.row);
  });
}

export function looseEndOf({ machineId, playerId, id }: MoneyCommand): LooseEnd {
  return { machineId, transferId: transferIdOf(playerId, id), told: { playerId, id } };
}

async function beginCashIn(
  parts: TransferParts,
  seat: OpenSeat,
  command: CashInCommand,
  isOpen: boolean,
): Promise<Begun> {
  const id = transferIdOf(command.playerId, command.id);
  const head = {
    id,
    machine_id: command.machineId,
    epoch: command.epoch,
    direction: "cashIn" as const,
    asked: command.amount,
  };
  const known = await findTransfer(seat.trx, id);
  if (known) return { row: sameContent(known, command, "cashIn"), head };
  if (!isOpen) throw new Refusal("session.locked");
  checkHolder(seat, command);
  checkState(seat, "cashIn");
  await checkLimits(seat, command);
  await checkPlayer(seat, command);
  await checkNoneOpen(seat);
  const playSessionId = seat.row.play_session_id ?? "";
  const held = await parts.deps.ledger.within(seat.trx).hold({
    id,
    kind: "cashIn",
    from: playerAccount(command.playerId),
    to: machineAccount(command.machineId),
    amountMinor: command.amount,
    about: { playSessionId, machineId: command.machineId, actor: `player:${command.playerId}` },
  });
  if (held.is === "refused") throw new Refusal(walletProblem(held.problem.name), held.problem.detail);
  await insertTransfer(seat.trx, {
    ...head,
    told_id: command.id,
    play_session_id: playSessionId,
    player_id: command.playerId,
    expected: 0,
    node_id: parts.deps.config.play.NODE_ID,
  });
  seat.announce("balance.changed", { playerId: command.playerId });
  return { row: null, head };
}

function walletProblem(
  name: string,
): "wallet.insufficient_funds" | "transfer.amount_outside_limits" | "transfer.id_conflict" {
  if (name === "wallet.insufficient_funds" || name === "transfer.amount_outside_limits") return name;
  return "transfer.id_conflict";
}

/** A repeat must be the same command, wherever it comes from. */
export function sameContent(
  known: TransferRow,
  command: MoneyCommand,
  direction: TransferRow["direction"],
): TransferRow {
  const same =
    known.direction === direction &&
    known.machine_id === command.machineId &&
    known.player_id === command.playerId &&
    known.asked === command.amount;
  if (!same) throw new Refusal("transfer.id_conflict");
  return known;
}

export function checkHolder(seat: OpenSeat, { playerId, epoch }: MoneyCommand): void {
  if (seat.row.player_id !== playerId) throw new Refusal("session.not_yours");
  if (seat.row.epoch !== epoch) throw new Refusal("seat.stale_epoch");
}

export function checkState(seat: OpenSeat, what: "cashIn" | "cashOut"): void {
  const allowed = rowOfState(seat.row.state)[what];
  if (allowed !== true) throw new Refusal(allowed);
}

export async function checkNoneOpen(seat: OpenSeat): Promise<void> {
  if (await openTransferOf(seat.trx, seat.row.machine_id)) throw new Refusal("transfer.being_checked");
}

async function checkLimits(seat: OpenSeat, { amount }: CashInCommand): Promise<void> {
  const { minTransfer, maxTransfer } = (await machineFacts(seat)).limits;
  if (amount < minTransfer || amount > maxTransfer)
    throw new Refusal("transfer.amount_outside_limits", `from ${minTransfer} to ${maxTransfer} minor units`);
  await checkWholeCredits(seat, amount);
}

/** A machine counts credits: it moves only multiples of its denomination. Null: everything, which is whole credits. */
export async function checkWholeCredits(seat: OpenSeat, amount: number | null): Promise<void> {
  if (amount === null) return;
  const { denomination } = await machineFacts(seat);
  if (amount % denomination !== 0)
    throw new Refusal("transfer.amount_outside_limits", `only multiples of ${denomination} minor units`);
}

async function machineFacts(seat: OpenSeat) {
  const { machine_id } = seat.row;
  const row = await seat.trx.selectFrom("machine").select("facts").where("id", "=", machine_id).executeTakeFirst();
  if (row === undefined) throw new Error(`Machine ${machine_id} has a seat and no row.`);
  return row.facts;
}

/** What staff wants of the machine, and how much this player may put in and lose. */
async function checkPlayer(seat: OpenSeat, { playerId, amount }: CashInCommand): Promise<void> {
  const { closed, credit } = await seat.facts();
  if (closed) throw new Refusal("machine.locked");
  const limit = await cashInProblem(seat.trx.withTables<LimitsTables>(), playerId, { amount, credit });
  if (limit !== null) throw new Refusal(limit.name, undefined, { params: limit.params });
}
