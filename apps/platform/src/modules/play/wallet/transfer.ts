import type { MoneyRefusal } from "@longarm/contract/agent-link";
import { machineAccount, playerAccount } from "@longarm/ledger/rules/address";
import type { Insertable, Selectable } from "kysely";
import { sql } from "kysely";
import type { Topics } from "../../../bus/index.ts";
import { databaseNow } from "../../../database-time.ts";
import type { AnyDb } from "../../../deps.ts";
import { noteDifference } from "../books/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { OpenSeat, WithinSeat } from "../seat/index.ts";
import { addTransfer } from "../seat/index.ts";
import type { PlayDb, PlayTables, PlayTransaction } from "../tables.ts";
import { isOpen } from "../tables.ts";

export type TransferRow = Selectable<PlayTables["machine_transfer"]>;
export type Direction = TransferRow["direction"];

/** Writes the intent of a transfer down. */
export async function insertTransfer(
  trx: PlayTransaction,
  transfer: Insertable<PlayTables["machine_transfer"]>,
): Promise<TransferRow> {
  return await trx.insertInto("machine_transfer").values(transfer).returningAll().executeTakeFirstOrThrow();
}

/** `ids`: all that the transfer may have. */
export async function findTransfer(db: PlayDb, ...ids: readonly string[]): Promise<TransferRow | undefined> {
  return await db.selectFrom("machine_transfer").selectAll().where("id", "in", ids).executeTakeFirst();
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

/**
 * After a gap of the bus these outcomes are announced again, ms. It exceeds the age up to which a page that takes its seat again repeats an undecided
 * command; a page that kept its seat learns an older outcome by its own repeat.
 */
const DECIDED_WITHIN_MS = 150_000;
const DECIDED_ROWS = 20;

/** Recent outcomes of the player's own transfers in the play session that now runs on a machine, as they are announced. */
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

/** An unknown transfer has an owner: the node that requests the machine's record of it (field notes 3.2 d). */
export async function ownRecovery(db: AnyDb, transferId: string, nodeId: string): Promise<void> {
  await sql`insert into transfer_recovery (transfer_id, owner_node) values (${transferId}, ${nodeId})
    on conflict (transfer_id) do update set owner_node = excluded.owner_node
    where transfer_recovery.owner_node <> excluded.owner_node`.execute(db);
}

/** This node has requested the machine's record, and this was the answer. */
export async function noteRecovery(db: AnyDb, transferId: string, nodeId: string, answer: string): Promise<void> {
  await sql`insert into transfer_recovery as r (transfer_id, owner_node, asked_times, last_asked_at, last_answer)
    values (${transferId}, ${nodeId}, 1, clock_timestamp(), ${answer.slice(0, 100)})
    on conflict (transfer_id) do update set owner_node = excluded.owner_node, asked_times = r.asked_times + 1,
      last_asked_at = excluded.last_asked_at, last_answer = excluded.last_answer`.execute(db);
}

/**
 * What the machine is known to have done with a transfer. `counted`: the games that it had counted some time after it, or `givenUp` when
 * games that would explain it never came.
 */
export type KnownOutcome =
  | { readonly is: "done"; readonly amount: number; readonly counted?: number | "givenUp" }
  | {
      readonly is: "refused";
      readonly refusal: MoneyRefusal;
      readonly reason: string;
      /** The machine has lost its record, and its meter has moved by so much. Nothing is booked; a person must explain it. */
      readonly lost?: number;
    };

/** A machine says it gave more than is known to be on it, and games that it has not reported yet may explain that: the transfer stays open. */
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
  within: WithinSeat,
  transfer: Pick<TransferRow, "id" | "machine_id">,
  outcome: KnownOutcome,
): Promise<TransferRow> {
  return await within(transfer.machine_id, async (seat) => {
    const row = await findTransfer(seat.trx, transfer.id);
    if (row === undefined) throw new LedgerBroken(`the transfer ${transfer.id} is not written down`);
    if (row.state === "done" || row.state === "refused") return row;
    const amount = outcome.is === "done" ? await bookable(deps, seat, row, outcome) : 0;
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
    if (outcome.is === "refused" && outcome.lost !== undefined) await noteLost(deps, seat, row, outcome.lost);
    await follow(deps, seat, row, amount);
    return decided;
  });
}

/**
 * How much is booked of what a machine says it moved: never more than was requested, and never more than the ledger knows to be on it.
 * An agent is another computer, so its word alone makes no money; what it claims beyond that is for a person to explain (record 0074).
 * @throws NotExplained.
 */
async function bookable(
  deps: PlayDeps,
  seat: OpenSeat,
  row: TransferRow,
  { amount: claimed, counted }: Extract<KnownOutcome, { is: "done" }>,
): Promise<number> {
  const requested = Math.min(claimed, row.asked ?? claimed);
  const onMachine = row.direction === "cashIn" ? requested : await onAccount(deps, seat);
  if (requested > onMachine && !(await areGamesBooked(seat, counted))) throw new NotExplained(row.id);
  const most = Math.max(0, Math.min(requested, onMachine));
  if (claimed <= most) return claimed;
  const { id, machine_id: machineId, direction } = row;
  deps.log.error(
    { alarm: "transfer", id, machineId, direction, asked: row.asked, amount: claimed, booked: most },
    "a machine says it moved more than it can have",
  );
  await noteDifference(deps.log, seat.trx, {
    machineId,
    playSessionId: row.play_session_id,
    kind: "claim",
    ledgerMinor: most,
    machineMinor: claimed,
    about: { transferId: id, direction, asked: row.asked, onMachine, counted: counted ?? null },
  });
  return most;
}

/** Nothing proves that what moved on the meter was this transfer (record 0133). */
async function noteLost({ log }: PlayDeps, seat: OpenSeat, row: TransferRow, moved: number): Promise<void> {
  const { id, machine_id: machineId, direction } = row;
  const facts = { alarm: "transfer", id, machineId, direction, moved };
  log.error(facts, "a machine has lost its record of a transfer, and its meter has moved");
  await noteDifference(log, seat.trx, {
    machineId,
    playSessionId: row.play_session_id,
    kind: "claim",
    ledgerMinor: 0,
    machineMinor: moved,
    about: { transferId: id, direction, lost: true },
  });
}

async function onAccount({ ledger }: PlayDeps, seat: OpenSeat): Promise<number> {
  return (await ledger.within(seat.trx).account(machineAccount(seat.row.machine_id))).balanceMinor;
}

/** Whether every game that can have been part of it is booked. */
async function areGamesBooked(seat: OpenSeat, counted: number | "givenUp" | undefined): Promise<boolean> {
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

/** Carries a decided transfer on to the play session, the seat and the pages. */
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
 * Marks the outcome of a transfer as unknown, and this node as the one that looks after it. A decided one stays as it is.
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
  await ownRecovery(seat.trx, transferId, nodeId);
  await seat.happen("transferUnknown");
  seat.announce("balance.changed", { playerId: marked.player_id });
}
