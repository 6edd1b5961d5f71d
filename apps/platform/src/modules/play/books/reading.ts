import { isDeepStrictEqual } from "node:util";
import type { MachineTotals } from "@longarm/contract/machine";
import type { Ledger } from "@longarm/ledger/ledger";
import { machineAccount } from "@longarm/ledger/rules/address";
import type { Transaction } from "kysely";
import { sql } from "kysely";
import type { MetersNow, PlayDb, PlayTables, PlayTransaction } from "../tables.ts";
import { isOpen } from "../tables.ts";
import type { ComparedLine, Reading } from "./compare.ts";
import { compareReadings, unexplained } from "./compare.ts";
import type { BookedSums } from "./sums.ts";
import type { BooksTables, ReadingCause } from "./tables.ts";

/** What a machine showed at one moment. */
export type MachineShown = { readonly meters: MetersNow; readonly totals: MachineTotals | undefined };

export type NewReading = {
  readonly machineId: string;
  readonly playSessionId: string | null;
  readonly why: ReadingCause;
  readonly shown: MachineShown;
  /** The node that takes it. */
  readonly nodeId: string;
  /** Games that the machine counted and never reported were waited for long enough. */
  readonly gamesGivenUp?: boolean;
};

/** `lines`: everything that was compared. */
export type TakenReading = { readonly number: number; readonly lines: readonly ComparedLine[] };

/**
 * Notes what a machine counted beside what was booked of it, and compares both with the reading before. To be called under the
 * seat's lock, before a difference goes to suspense. `conclude` then keeps the comparison.
 * @returns null when something is under way, or nothing has changed: then nothing is written, and the next reading covers the time.
 */
export async function takeReading(
  ledger: Ledger,
  trx: PlayTransaction,
  { machineId, playSessionId, why, shown, gamesGivenUp }: NewReading,
): Promise<TakenReading | null> {
  const books = trx.withTables<BooksTables>();
  if (!(await isQuiet(books, machineId, shown.meters, gamesGivenUp === true))) return null;
  const last = await lastReading(books, machineId);
  const now = await readingNow(ledger, trx, { machineId, shown });
  if (last !== null && isSame(last, now)) return null;
  const number = (last?.number ?? 0) + 1;
  await writeReading(books, { machineId, playSessionId, why }, number, now);
  return { number, lines: compareReadings(last, now) };
}

async function readingNow(
  ledger: Ledger,
  trx: PlayTransaction,
  { machineId, shown }: Pick<NewReading, "machineId" | "shown">,
): Promise<Reading> {
  return {
    credit: shown.meters.credit,
    gamesPlayed: shown.meters.gamesPlayed,
    totals: shown.totals ?? null,
    books: await bookedOf(trx.withTables<BooksTables>(), machineId),
    ledgerMinor: (await ledger.within(trx).account(machineAccount(machineId))).balanceMinor,
  };
}

async function writeReading(
  books: Books,
  { machineId, playSessionId, why }: Pick<NewReading, "machineId" | "playSessionId" | "why">,
  number: number,
  now: Reading,
): Promise<void> {
  await books
    .insertInto("meter_reading")
    .values({
      ...{ machine_id: machineId, number, why, play_session_id: playSessionId },
      ...{ credit: now.credit, games_played: now.gamesPlayed, ledger_amount: now.ledgerMinor },
      totals: now.totals === null ? null : JSON.stringify(now.totals),
      books: JSON.stringify(now.books),
    })
    .execute();
}

/**
 * Notes what a machine counts after its meters began anew: later readings are compared with this one. Only what stands by itself is compared, since
 * nothing of before can be. To be called under the seat's lock.
 */
export async function takeBaseline(
  ledger: Ledger,
  trx: PlayTransaction,
  reading: Pick<NewReading, "machineId" | "playSessionId" | "why" | "shown">,
): Promise<TakenReading> {
  const books = trx.withTables<BooksTables>();
  const last = await lastReading(books, reading.machineId);
  const now = await readingNow(ledger, trx, reading);
  const number = (last?.number ?? 0) + 1;
  await writeReading(books, reading, number, now);
  return { number, lines: compareReadings(null, now) };
}

/** Keeps a comparison. `differenceId`: what a person must explain because of it. */
export async function concludeReading(
  trx: PlayTransaction,
  { machineId, playSessionId, nodeId }: NewReading,
  { number, lines }: TakenReading,
  differenceId: number | null,
): Promise<void> {
  await trx
    .withTables<BooksTables>()
    .insertInto("reconciliation")
    .values({
      ...{
        scope: "machine" as const,
        machine_id: machineId,
        reading: number,
        play_session_id: playSessionId,
        day: null,
      },
      ...{ made_by: nodeId, agrees: unexplained(lines).length === 0, discrepancy_id: differenceId },
      lines: JSON.stringify(lines),
    })
    .execute();
}

/** Keeps what the proof of a UTC day found. @returns false when another node has kept that day before. */
export async function keepDay(
  db: PlayDb,
  { day, nodeId, wrong }: { readonly day: string; readonly nodeId: string; readonly wrong: readonly object[] },
): Promise<boolean> {
  const { rows } = await sql`
    insert into reconciliation (scope, day, made_by, agrees, lines)
    values ('day', ${day}::date, ${nodeId}, ${wrong.length === 0}, ${JSON.stringify(wrong)}::jsonb)
    on conflict (day) where scope = 'day' do nothing returning id`.execute(db);
  return rows.length > 0;
}

type Books = Transaction<PlayTables & BooksTables>;

/** No game, no hand pay and no transfer is under way, and every game that was counted is booked. */
async function isQuiet(books: Books, machineId: string, meters: MetersNow, gamesGivenUp: boolean): Promise<boolean> {
  if (meters.inGame || meters.bonus || meters.handPay !== undefined) return false;
  const open = await books
    .selectFrom("machine_transfer")
    .select("id")
    .where("machine_id", "=", machineId)
    .where(isOpen())
    .executeTakeFirst();
  if (open !== undefined) return false;
  const { taken_game: taken } = await books
    .selectFrom("machine")
    .select("taken_game")
    .where("id", "=", machineId)
    .executeTakeFirstOrThrow();
  return meters.gamesPlayed === taken || (gamesGivenUp && meters.gamesPlayed > taken);
}

function isSame({ number: _number, ...last }: Reading & { readonly number: number }, now: Reading): boolean {
  return isDeepStrictEqual(last, now);
}

async function lastReading(books: Books, machineId: string): Promise<(Reading & { readonly number: number }) | null> {
  const row = await books
    .selectFrom("meter_reading")
    .selectAll()
    .where("machine_id", "=", machineId)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { number, credit, games_played: gamesPlayed, totals, books: booked, ledger_amount: ledgerMinor } = row;
  // Readings of older releases do not have every sum.
  return { number, credit, gamesPlayed, totals, books: { ...booked, cancelled: booked.cancelled ?? 0 }, ledgerMinor };
}

async function bookedOf(books: Books, machineId: string): Promise<BookedSums> {
  const row = await books
    .selectFrom("machine_books")
    .selectAll()
    .where("machine_id", "=", machineId)
    .executeTakeFirst();
  const {
    games = 0,
    wagered = 0,
    won = 0,
    machine_paid: machinePaid = 0,
    cash_in: cashIn = 0,
    cash_out: cashOut = 0,
    cancelled = 0,
  } = row ?? {};
  return { games, wagered, won, machinePaid, cashIn, cashOut, cancelled };
}
