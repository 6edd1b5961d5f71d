import type { MoneyRefusal } from "@longarm/contract/agent-link";
import { machineAccount, playerAccount } from "@longarm/ledger/rules/address";
import { databaseNow } from "../../../database-time.ts";
import { noteDifference } from "../books/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { OpenSeat, Seats } from "../seat/index.ts";
import { addTransfer } from "../seat/index.ts";
import { takeCareOf } from "./recovery-row.ts";
import type { TransferRow } from "./transfer-row.ts";
import { findTransfer } from "./transfer-row.ts";

/**
 * What the machine is known to have done with a transfer. `counted`: the games that it had counted some time after it, or `givenUp` when
 * games that would explain it never came.
 */
export type KnownOutcome =
  | { readonly is: "done"; readonly amount: number; readonly counted?: number | "givenUp" }
  | { readonly is: "refused"; readonly refusal: MoneyRefusal; readonly reason: string };

/** A machine says it gave more than is known to be on it, and games that it has not told yet may explain that: the transfer stays open. */
export class NotExplained extends Error {
  override readonly name = "NotExplained";
}

/** The ledger refused what must be possible: a bug. Everything of the transaction is taken back and the transfer stays open. */
export class LedgerBroken extends Error {
  override readonly name = "LedgerBroken";
}

/**
 * Books the known outcome of a transfer and decides it, in one transaction with the seat; a decided one stays as it is.
 * @returns the row as it is decided.
 * @throws NotExplained, LedgerBroken: then it stays open.
 */
export async function decideTransfer(
  deps: PlayDeps,
  seats: Seats,
  transfer: Pick<TransferRow, "id" | "machine_id">,
  outcome: KnownOutcome,
): Promise<TransferRow> {
  return await seats.within(transfer.machine_id, async (seat) => {
    const row = await findTransfer(seat.trx, transfer.id);
    if (row === undefined) throw new LedgerBroken(`the transfer ${transfer.id} is not written down`);
    if (row.state === "done" || row.state === "refused") return row;
    const amount = outcome.is === "done" ? await believed(deps, seat, row, outcome) : 0;
    await book(deps, seat, row, amount, outcome.is === "refused" ? outcome.reason : "nothing was moved");
    const decided = await seat.trx
      .updateTable("machine_transfer")
      .set({
        state: outcome.is,
        amount,
        reason: outcome.is === "refused" ? outcome.reason : null,
        refusal: outcome.is === "refused" ? outcome.refusal : null,
        decided_at: databaseNow(),
      })
      .where("id", "=", row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await follow(deps, seat, row, amount);
    return decided;
  });
}

/**
 * What is booked of what a machine says it moved: never more than it was asked for, and never more than the ledger knows to be on it.
 * An agent is another computer, so its word alone makes no money; what it claims beyond that is for a person to explain (record 0074).
 * @throws NotExplained.
 */
async function believed(
  deps: PlayDeps,
  seat: OpenSeat,
  row: TransferRow,
  { amount: claimed, counted }: Extract<KnownOutcome, { is: "done" }>,
): Promise<number> {
  const asked = Math.min(claimed, row.asked ?? claimed);
  const onMachine = row.direction === "cashIn" ? asked : await onAccount(deps, seat);
  if (asked > onMachine && !(await isAllTold(seat, counted))) throw new NotExplained(row.id);
  const most = Math.max(0, Math.min(asked, onMachine));
  if (claimed <= most) return claimed;
  const { id, machine_id: machineId, direction } = row;
  deps.log.error(
    { alarm: "transfer", id, machineId, direction, asked: row.asked, amount: claimed, booked: most },
    "a machine says it moved more than it can have",
  );
  await noteDifference(deps.log, seat.trx, {
    ...{ machineId, playSessionId: row.play_session_id, kind: "claim", ledgerMinor: most, machineMinor: claimed },
    about: { transferId: id, direction, asked: row.asked, onMachine, counted: counted ?? null },
  });
  return most;
}

async function onAccount({ ledger }: PlayDeps, seat: OpenSeat): Promise<number> {
  return (await ledger.within(seat.trx).account(machineAccount(seat.row.machine_id))).balanceMinor;
}

/** Whether every game that can have been part of it is booked. */
async function isAllTold(seat: OpenSeat, counted: number | "givenUp" | undefined): Promise<boolean> {
  if (counted === undefined || counted === "givenUp") return counted === "givenUp";
  const { taken_game: taken } = await seat.trx
    .selectFrom("machine")
    .select("taken_game")
    .where("id", "=", seat.row.machine_id)
    .executeTakeFirstOrThrow();
  return taken >= counted;
}

async function book(deps: PlayDeps, seat: OpenSeat, row: TransferRow, amount: number, reason: string): Promise<void> {
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

/** A page waits 15 s for an answer. From this age on an outcome is announced beside it, ms: the answer itself may come too late. */
const LATE_MS = 8_000;

/** What a decided transfer means for the play session, the seat and everybody who looks. */
async function follow({ clock }: PlayDeps, seat: OpenSeat, row: TransferRow, amount: number): Promise<void> {
  if (amount > 0) await addTransfer(seat.trx, row.play_session_id, row.direction, amount);
  seat.announce("balance.changed", { playerId: row.player_id });
  const isLate = clock.now() - row.created_at.getTime() > LATE_MS;
  // A page that has given up its request, or whose node has, learns the outcome by this alone.
  if (row.state === "unknown" || isLate) {
    const about = { machineId: row.machine_id, playerId: row.player_id, id: row.told_id ?? row.id };
    seat.announce("transfer.decided", { ...about, outcome: amount > 0 ? "done" : "refused", amount });
  }
  if (row.state === "unknown") {
    await seat.happen("transferDecided");
    return;
  }
  if (amount === 0) return;
  const { credit } = await seat.facts();
  await seat.happen(credit > 0 ? "credited" : "emptied");
}

/**
 * Notes that nobody knows the outcome of a transfer that was asked, and that this node looks after it. A decided one stays as it is.
 */
export async function markUnknown(seat: OpenSeat, transferId: string, nodeId: string): Promise<void> {
  const marked = await seat.trx
    .updateTable("machine_transfer")
    .set({ state: "unknown" })
    .where("id", "=", transferId)
    .where("state", "=", "asking")
    .returning("player_id")
    .executeTakeFirst();
  if (marked === undefined) return;
  await takeCareOf(seat.trx, transferId, nodeId);
  await seat.happen("transferUnknown");
  seat.announce("balance.changed", { playerId: marked.player_id });
}
