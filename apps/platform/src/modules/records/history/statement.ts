import type { Statement, StatementFigures } from "@longarm/contract/player-record";
import { STATEMENT_YEARS } from "@longarm/contract/player-record";
import type { RawBuilder, Transaction } from "kysely";
import { sql } from "kysely";
import type { HistoryDb } from "./listing.ts";
import { reading } from "./listing.ts";
import type { HistoryTables } from "./tables.ts";

/*
 * A player's account in a year, month by month (record 0206; GLI-19 2.5.7). Money is read from the ledger's own entries of the wallet, games from the sums
 * that reports keep for players. Months are those of the venue's clock.
 */

type Trx = Transaction<HistoryTables>;
type Head = { timeZone: string; now: Date; year: number };
type Moved = Omit<StatementFigures, "games" | "wagered" | "won" | "opening" | "closing">;
type Played = Pick<StatementFigures, "games" | "wagered" | "won">;
type OfMonth<Row> = Row & { readonly month: number };

/** A statement of a year, or of the present one. A year without anything has figures of 0. */
export async function readStatement(db: HistoryDb, playerId: string, wanted: number | undefined): Promise<Statement> {
  return await reading(db, async (trx) => {
    const { timeZone, now, year: present } = await headOf(trx);
    const year = wanted ?? present;
    const { rows: moved } = await sql<OfMonth<Moved>>`${movedIn(playerId, year)}`.execute(trx);
    const { rows: played } = await sql<OfMonth<Played>>`
      select extract(month from month)::int as month, games, wagered, won from report_player_games
      where player_id = ${playerId} and month >= make_date(${year}, 1, 1) and month < make_date(${year + 1}, 1, 1)`.execute(
      trx,
    );
    const opening = await balanceBefore(trx, playerId, year);
    const months = monthsOf({ opening, moved, played, until: await monthsBegun(trx, year) });
    return {
      timeZone,
      asOf: now.toISOString(),
      year,
      years: await yearsOf(trx, playerId, present),
      total: months.reduce(added, { ...NOTHING, opening, closing: opening }),
      months,
    };
  });
}

async function headOf(trx: Trx): Promise<Head> {
  const { rows } = await sql<Head>`
    select time_zone as "timeZone", now() as now, extract(year from now() at time zone time_zone)::int as year from business_day_rule`.execute(
    trx,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the row of the business day is gone");
  return row;
}

const begins = (year: number): RawBuilder<Date> => sql<Date>`venue_month_begins(make_date(${year}, 1, 1))`;

/** How many months of the year have begun. */
async function monthsBegun(trx: Trx, year: number): Promise<number> {
  const { rows } = await sql<{ begun: number }>`
    select greatest(0, least(12, (extract(year from m) - ${year}) * 12 + extract(month from m)))::int as begun from venue_month(now()) m`.execute(
    trx,
  );
  return rows[0]?.begun ?? 0;
}

/** A column of the statement: what was moved under these kinds of the reports (`report_kind`). */
const column = (name: keyof Moved, kinds: readonly string[], sign: 1 | -1 = 1): RawBuilder<unknown> =>
  sql`coalesce(sum(${sql.lit(sign)} * amount) filter (where kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})), 0)::bigint as ${sql.ref(name)}`;

/**
 * What moved in the wallet of a player, one row for each month of a year in which something did. A correction counts in its own month and not with what
 * it corrects: a month that is over does not change any more.
 */
const movedIn = (playerId: string, year: number): RawBuilder<unknown> => sql`
  select month, ${sql.join([
    column("deposits", ["deposit"]),
    column("withdrawals", ["withdraw"], -1),
    column("bonuses", ["bonus"]),
    column("discounts", ["discount"]),
    column("fees", ["fee"], -1),
    column("toMachines", ["cashIn"], -1),
    column("fromMachines", ["cashOut"]),
    column("handPays", ["handPay", "jackpot", "cancelledCredits"]),
    column("corrections", ["correction", "suspense", "claim", "game"]),
  ])}
  from (select extract(month from w.at at time zone r.time_zone)::int as month, w.amount, report_kind(t.kind, f.address, o.address) as kind
    from business_day_rule r cross join wallet_entry w join ledger.transfers t on t.id = w.transfer_id
    join ledger.accounts f on f.id = t.from_account join ledger.accounts o on o.id = t.to_account
    where w.player_id = ${playerId} and w.at >= ${begins(year)} and w.at < ${begins(year + 1)}) e
  group by month`;

/** What the wallet held when the year began: what it holds now, less all that moved since. Entries of one moment need no order for it. */
async function balanceBefore(trx: Trx, playerId: string, year: number): Promise<number> {
  const { rows } = await sql<{ balance: number }>`
    select (coalesce((select balance from wallet_entry where player_id = ${playerId} order by entry_number desc limit 1), 0)
      - coalesce((select sum(amount) from wallet_entry where player_id = ${playerId} and at >= ${begins(year)}), 0))::bigint as balance`.execute(
    trx,
  );
  return rows[0]?.balance ?? 0;
}

/** Years from the first one with something to the present one, the newest first. */
async function yearsOf(trx: Trx, playerId: string, present: number): Promise<number[]> {
  const { rows } = await sql<{ first: number | null }>`
    select extract(year from least(
      (select min(month) from report_player_games where player_id = ${playerId}),
      (select venue_month(at) from wallet_entry where player_id = ${playerId} order by at, entry_number limit 1)))::int as first`.execute(
    trx,
  );
  const first = Math.max(STATEMENT_YEARS.first, Math.min(present, rows[0]?.first ?? present), present - YEARS_MAX + 1);
  return Array.from({ length: Math.max(1, present - first + 1) }, (_, ago) => present - ago);
}

/** Years that are offered at most. */
const YEARS_MAX = 100;

const NOTHING: StatementFigures = {
  ...{
    deposits: 0,
    withdrawals: 0,
    bonuses: 0,
    discounts: 0,
    fees: 0,
    toMachines: 0,
    fromMachines: 0,
    handPays: 0,
    corrections: 0,
  },
  ...{ games: 0, wagered: 0, won: 0, opening: 0, closing: 0 },
};

type Year = {
  readonly opening: number;
  readonly moved: readonly OfMonth<Moved>[];
  readonly played: readonly OfMonth<Played>[];
  /** The last month that has begun. */
  readonly until: number;
};

/** Every month that has begun, in its order, and one of the future in which something was booked all the same. */
function monthsOf({ opening, moved, played, until }: Year): OfMonth<StatementFigures>[] {
  const last = Math.max(until, ...[...moved, ...played].map(({ month }) => month));
  let balance = opening;
  return Array.from({ length: last }, (_, index) => {
    const month = index + 1;
    const figures = {
      ...NOTHING,
      ...moved.find((row) => row.month === month),
      ...played.find((row) => row.month === month),
      month,
    };
    const before = balance;
    balance += movedBy(figures);
    return { ...figures, opening: before, closing: balance };
  });
}

/** What a wallet gained; below zero: gave. */
const movedBy = (of: Moved): number =>
  of.deposits +
  of.bonuses +
  of.discounts +
  of.fromMachines +
  of.handPays +
  of.corrections -
  of.withdrawals -
  of.fees -
  of.toMachines;

function added(sum: StatementFigures, { month: _, ...of }: OfMonth<StatementFigures>): StatementFigures {
  const both = { ...sum };
  for (const name of Object.keys(NOTHING) as (keyof StatementFigures)[]) both[name] = sum[name] + of[name];
  return { ...both, opening: sum.opening, closing: of.closing };
}
