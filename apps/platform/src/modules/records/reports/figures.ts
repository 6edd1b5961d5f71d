import type { Report, ReportFigures, ReportGroup, ReportHours, ReportRow } from "@longarm/contract/staff-reports";
import { DELAY_BOUNDS_MS } from "@longarm/contract/staff-reports";
import type { Kysely, RawBuilder, Transaction } from "kysely";
import { sql } from "kysely";
import { delayOf } from "./viewing.ts";

/** Business days, both in it, `2026-11-26`. */
export type ReportPeriod = { readonly from: string; readonly to: string };
export type ReportFilter = {
  readonly brand?: string | undefined;
  readonly machine?: string | undefined;
  /** Minor units of one credit. */
  readonly denomination?: number | undefined;
};
export type ReportWanted = ReportPeriod & ReportFilter & { readonly by: ReportGroup };

export type Trx = Transaction<unknown>;

/** Reads in one snapshot, so that every figure of an answer is of the same moment. */
export async function reading<Result>(db: Kysely<unknown>, read: (trx: Trx) => Promise<Result>): Promise<Result> {
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      // Compiling a statement takes longer than reading the sums.
      await sql`select set_config('jit', 'off', true)`.execute(trx);
      return await read(trx);
    });
}

export type Head = Pick<Report, "timeZone" | "dayBeginsMinutes" | "asOf" | "today">;

export async function headOf(trx: Trx): Promise<Head> {
  const { rows } = await sql<Omit<Head, "asOf"> & { now: Date }>`
    select time_zone as "timeZone", begins_minutes as "dayBeginsMinutes", now() as now, business_day(now())::text as today
    from business_day_rule`.execute(trx);
  const [row] = rows;
  if (row === undefined) throw new Error("the row of the business day is gone");
  const { now, ...rule } = row;
  return { ...rule, asOf: now.toISOString() };
}

/** The business day of now, by the database's clock. */
export async function businessDayNow(db: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ today: string }>`select business_day(clock_timestamp())::text as today`.execute(db);
  return rows[0]?.today ?? "";
}

/**
 * What was played, paid and moved in a period, in groups, in all, and in the same number of days before it: from sums by machine and business day, so
 * that the number of games does not matter. Every machine, brand and denomination of the filter has a row, and each day, month or year in which
 * something was booked.
 */
export async function readReport(db: Kysely<unknown>, wanted: ReportWanted): Promise<Report> {
  return await reading(db, async (trx) => {
    const head = await headOf(trx);
    const { by, ...filter } = wanted;
    const figures = await figuresOf(trx, filter, by);
    const before = await figuresOf(trx, { ...filter, ...(await daysBefore(trx, wanted)) }, null);
    const floor = await sql<{ id: string; name: string; brand: string; denomination: number }>`
      select id, facts ->> 'name' as name, facts ->> 'brand' as brand, (facts ->> 'denomination')::bigint as denomination
      from machine m where ${matches(filter)} order by name, id`.execute(trx);
    const all = await sql<{ brands: string[] | null; denominations: number[] | null; sampleUntil: string | null }>`
      select (select business_day(until_at)::text from sample_days) as "sampleUntil", array_agg(distinct facts ->> 'brand' order by facts ->> 'brand') filter (where facts ? 'brand') as brands,
        array_agg(distinct (facts ->> 'denomination')::bigint) filter (where facts ? 'denomination') as denominations from machine`.execute(
      trx,
    );
    return {
      ...head,
      by,
      from: wanted.from,
      to: wanted.to,
      rows: rowsOf(by, figures, floor.rows),
      total: figures.get(TOTAL) ?? EMPTY,
      before: before.get(TOTAL) ?? EMPTY,
      brands: all.rows[0]?.brands ?? [],
      denominations: all.rows[0]?.denominations ?? [],
      sampleUntil: all.rows[0]?.sampleUntil ?? null,
    };
  });
}

type Machine = { readonly id: string; readonly name: string; readonly brand: string; readonly denomination: number };

function rowsOf(by: ReportGroup, figures: ReadonlyMap<string, ReportFigures>, floor: readonly Machine[]): ReportRow[] {
  const row = (key: string, name = key): ReportRow => ({ key, name, figures: figures.get(key) ?? EMPTY });
  switch (by) {
    case "machine":
      return floor.map(({ id, name }) => row(id, name ?? id));
    case "brand":
      return [...new Set(floor.map(({ brand }) => brand))].toSorted().map((brand) => row(brand));
    case "denomination":
      return [...new Set(floor.map(({ denomination }) => denomination))]
        .toSorted((one, other) => one - other)
        .map((denomination) => row(String(denomination)));
    case "day":
    case "month":
    case "year":
      return [...figures.keys()]
        .filter((key) => key !== TOTAL)
        .toSorted()
        .map((key) => row(key));
  }
}

async function daysBefore(trx: Trx, { from, to }: ReportPeriod): Promise<ReportPeriod> {
  const { rows } = await sql<ReportPeriod>`
    select (${from}::date - (${to}::date - ${from}::date + 1))::text as from, (${from}::date - 1)::text as to`.execute(
    trx,
  );
  return rows[0] ?? { from, to };
}

/** The key of all groups together. */
const TOTAL = "";

/** `m`, the row of a machine, is in the filter. */
function matches({ brand, machine, denomination }: ReportFilter): RawBuilder<boolean> {
  const parts = [
    brand === undefined ? [] : [sql`m.facts ->> 'brand' = ${brand}`],
    machine === undefined ? [] : [sql`m.id = ${machine}`],
    denomination === undefined ? [] : [sql`m.facts ->> 'denomination' = ${String(denomination)}`],
  ].flat();
  return sql<boolean>`(${sql.join([sql`true`, ...parts], sql` and `)})`;
}

const isFiltered = ({ brand, machine, denomination }: ReportFilter): boolean =>
  brand !== undefined || machine !== undefined || denomination !== undefined;

/** What rows `d` (with a day) of machines `m` are grouped by. */
const KEYS: Readonly<Record<ReportGroup, RawBuilder<string>>> = {
  machine: sql`m.id`,
  brand: sql`m.facts ->> 'brand'`,
  denomination: sql`m.facts ->> 'denomination'`,
  day: sql`d.day::text`,
  month: sql`to_char(d.day, 'YYYY-MM')`,
  year: sql`to_char(d.day, 'YYYY')`,
};

type Wanted = ReportPeriod & ReportFilter;

/**
 * Sums of `columns` over rows `d` of `source`, one row for each group and one for all of them. Without a filter also rows of no machine count, in all
 * and by day.
 */
async function sumsBy<Row>(
  trx: Trx,
  wanted: Wanted,
  by: ReportGroup | null,
  { source, columns }: { readonly source: RawBuilder<unknown>; readonly columns: RawBuilder<unknown> },
): Promise<Map<string, Row>> {
  const key = by === null ? sql`null::text` : KEYS[by];
  const { rows } = await sql<Row & { key: string | null; isTotal: boolean }>`
    with d as (select ${key} as key, d.* from ${source} d left join machine m on m.id = d.machine_id
      where ${isFiltered(wanted) ? sql`m.id is not null and ${matches(wanted)}` : sql`true`})
    select key, grouping(key) = 1 as "isTotal", ${columns} from d group by grouping sets ((key), ())`.execute(trx);
  return new Map(
    rows.flatMap((row) => {
      const of = row.isTotal ? TOTAL : row.key;
      return of === null ? [] : [[of, row] as const];
    }),
  );
}

const inDays = ({ from, to }: ReportPeriod): RawBuilder<boolean> =>
  sql<boolean>`day between ${from}::date and ${to}::date`;

type GameSums = {
  games: number;
  wagered: number;
  machinePaid: number;
  handPaid: number;
  /** `wagered` by each machine's hold, hundredths of a percent, and the sum of squared stakes by each squared spread; null: not known. */
  expected: string | null;
  variance: number | null;
};
type MoneySums = Record<
  | "cashIn"
  | "cashOut"
  | "handPays"
  | "jackpots"
  | "cancelledCredits"
  | "fees"
  | "ledgerKept"
  | "claims"
  | "suspense"
  | "deposits"
  | "withdrawals"
  | "bonuses"
  | "discounts",
  number
>;

async function figuresOf(trx: Trx, wanted: Wanted, by: ReportGroup | null): Promise<Map<string, ReportFigures>> {
  const games = await sumsBy<GameSums>(trx, wanted, by, gameSums(wanted));
  const money = await sumsBy<MoneySums>(trx, wanted, by, moneySums(wanted));
  const seats = await sumsBy<{ sessions: number; seatedMs: number }>(trx, wanted, by, seatSums(wanted));
  const open = await sumsBy<{ availableMs: number }>(trx, wanted, by, availability(wanted));
  const found = await sumsBy<ReportFigures["discrepancies"]>(trx, wanted, by, discrepancySums(wanted));
  const seen = await sumsBy<ViewingSums>(trx, wanted, by, viewingSums(wanted));
  const showsVenue = !isFiltered(wanted);
  const isOfDays = by === "day" || by === "month" || by === "year";
  const keys = new Set([TOTAL, ...[games, money, seats, found, seen].flatMap((sums) => [...sums.keys()])]);
  return new Map(
    [...keys].map((key) => [
      key,
      figures({
        ...{ games: games.get(key), money: money.get(key), seats: seats.get(key), found: found.get(key) },
        seen: seen.get(key),
        availableMs: open.get(key)?.availableMs ?? 0,
        showsVenue: showsVenue && (isOfDays || key === TOTAL),
      }),
    ]),
  );
}

type Parts = {
  readonly games: GameSums | undefined;
  readonly money: MoneySums | undefined;
  readonly seats: { readonly sessions: number; readonly seatedMs: number } | undefined;
  readonly found: ReportFigures["discrepancies"] | undefined;
  readonly seen: ViewingSums | undefined;
  readonly availableMs: number;
  readonly showsVenue: boolean;
};

function figures({ games, money, seats, found, seen, availableMs, showsVenue }: Parts): ReportFigures {
  const { wagered = 0, machinePaid = 0, handPaid = 0 } = games ?? {};
  const held = wagered - machinePaid - handPaid;
  return {
    games: games?.games ?? 0,
    wagered,
    machinePaid,
    handPaid,
    held,
    hold: wagered === 0 ? null : Math.round((held / wagered) * 10_000),
    expected: expectedOf(wagered, held, games),
    ledgerKept: money?.ledgerKept ?? 0,
    sessions: seats?.sessions ?? 0,
    seatedMs: seats?.seatedMs ?? 0,
    availableMs,
    cashIn: money?.cashIn ?? 0,
    cashOut: money?.cashOut ?? 0,
    handPays: money?.handPays ?? 0,
    jackpots: money?.jackpots ?? 0,
    cancelledCredits: money?.cancelledCredits ?? 0,
    fees: money?.fees ?? 0,
    claims: money?.claims ?? 0,
    suspense: money?.suspense ?? 0,
    discrepancies: { found: found?.found ?? 0, open: found?.open ?? 0, amount: found?.amount ?? 0 },
    watchedMs: seen?.watchedMs ?? 0,
    watchersMost: seen?.watchersMost ?? 0,
    delay: delayOf(seen?.delays ?? []),
    venue: showsVenue
      ? {
          deposits: money?.deposits ?? 0,
          withdrawals: money?.withdrawals ?? 0,
          bonuses: money?.bonuses ?? 0,
          discounts: money?.discounts ?? 0,
        }
      : null,
  };
}

function expectedOf(wagered: number, held: number, games: GameSums | undefined): ReportFigures["expected"] {
  if (games === undefined || wagered === 0 || games.expected === null) return null;
  // Stakes by hundredths of a percent exceed the safe integers.
  const byHold = BigInt(games.expected);
  const expectedHeld = Number((2n * byHold + 10_000n) / 20_000n);
  const hold = Number((2n * byHold + BigInt(wagered)) / (2n * BigInt(wagered)));
  const { variance } = games;
  return {
    hold,
    held: expectedHeld,
    variance: held - expectedHeld,
    band: variance === null ? null : confidenceBand({ hold: Number(byHold) / wagered, wagered, variance }),
  };
}

/** 95 of 100 values of a normal distribution are within so many standard deviations. */
const DEVIATIONS = 1.96;

/**
 * Where chance alone leaves the hold of a number of games, in 95 of 100 such numbers; hundredths of a percent.
 *
 * A game with the stake `s` pays back `s · X`, and `X` has the standard deviation `σ` of its paytable. Games do not depend on each other, so that all
 * of them together pay back with the variance `Σ σ² s²`. The hold is what they keep as a part of `Σ s`, and it is normally distributed for many games.
 * The band is therefore `hold ± 1.96 · √(Σ σ² s²) / Σ s`. It narrows with the root of the number of games, and stakes of different sizes count as
 * they are. A band of few games, or of games whose largest win is rare, is too narrow: nothing is normally distributed then.
 *
 * @param games `hold`: by the paytable, hundredths of a percent. `wagered`: Σ s, minor units, above 0. `variance`: Σ σ² s², with σ in hundredths of
 *   the stake.
 */
export function confidenceBand({ hold, wagered, variance }: { hold: number; wagered: number; variance: number }): {
  low: number;
  high: number;
} {
  const spread = Math.sqrt(variance) / 100;
  const half = ((DEVIATIONS * spread) / wagered) * 10_000;
  return { low: Math.round(hold - half), high: Math.round(hold + half) };
}

const EMPTY: ReportFigures = figures({
  ...{ games: undefined, money: undefined, seats: undefined, found: undefined, seen: undefined },
  availableMs: 0,
  showsVenue: false,
});

const gameSums = (wanted: Wanted) => ({
  // The sheet of the day on which a game was booked, else the return that was entered when the machine was enrolled.
  source: sql`(with sheets as (select machine_id, hold, spread, from_day, lead(from_day) over (partition by machine_id order by from_day, id) as until
      from paytable_sheet)
    select g.*, coalesce(s.hold, 10000 - l.theoretical_return) as hold, s.spread from report_games g
    left join machine_life l on l.machine_id = g.machine_id
    left join sheets s on s.machine_id = g.machine_id and s.from_day <= g.day and (s.until is null or g.day < s.until)
    where ${inDays(wanted)})`,
  columns: sql`coalesce(sum(games), 0)::bigint as games, coalesce(sum(wagered), 0)::bigint as "wagered", coalesce(sum(machine_paid), 0)::bigint as "machinePaid",
    coalesce(sum(hand_paid), 0)::bigint as "handPaid",
    case when bool_and(hold is not null or wagered = 0) then sum(wagered::numeric * hold)::text end as expected,
    case when bool_and(spread is not null or wagered = 0) then sum(stake_squares * spread::numeric * spread)::float8 end as variance`,
});

const amount = (kind: string, name: string) =>
  sql`coalesce(sum(amount) filter (where kind = ${sql.lit(kind)}), 0)::bigint as ${sql.ref(name)}`;

const moneySums = (wanted: Wanted) => ({
  source: sql`(select * from report_money where ${inDays(wanted)})`,
  columns: sql.join([
    amount("cashIn", "cashIn"),
    amount("cashOut", "cashOut"),
    amount("handPay", "handPays"),
    amount("jackpot", "jackpots"),
    amount("cancelledCredits", "cancelledCredits"),
    amount("fee", "fees"),
    amount("game", "ledgerKept"),
    amount("claim", "claims"),
    amount("suspense", "suspense"),
    amount("deposit", "deposits"),
    amount("withdraw", "withdrawals"),
    amount("bonus", "bonuses"),
    amount("discount", "discounts"),
  ]),
});

type ViewingSums = { readonly watchedMs: number; readonly watchersMost: number; readonly delays: number[] };

const viewingSums = (wanted: Wanted) => ({
  source: sql`(select * from report_viewing where ${inDays(wanted)})`,
  columns: sql`coalesce(sum(watched_ms), 0)::bigint as "watchedMs", coalesce(max(watchers_most), 0) as "watchersMost",
    jsonb_build_array(${sql.join(DELAY_BOUNDS_MS.map((_, at) => sql`coalesce(sum(delays[${sql.lit(at + 1)}]), 0)`))}) as delays`,
});

/** Stays by machine, day and hour; of those that are not over, what is behind them. */
const stays = (wanted: Wanted): RawBuilder<unknown> => sql`(
  select machine_id, day, hour, sessions, seated_ms from report_seats where ${inDays(wanted)}
  union all
  select p.machine_id, piece.day, piece.hour, 0, piece.ms from play_session p
    cross join lateral report_pieces(greatest(p.started_at, business_day_begins(${wanted.from}::date)),
      least(now(), business_day_begins(${wanted.to}::date + 1))) piece
    where p.ended_at is null)`;

const seatSums = (wanted: Wanted) => ({
  source: stays(wanted),
  columns: sql`coalesce(sum(sessions), 0)::bigint as sessions, coalesce(sum(seated_ms), 0)::bigint as "seatedMs"`,
});

/** The days of the period as far as they are over, and machines with the first day on which they were played. */
const machineDays = (wanted: Wanted): RawBuilder<unknown> => sql`
  days as materialized (select day, begins, ends, floor(extract(epoch from ends - begins) * 1000)::bigint as ms from (
    select day::date as day, business_day_begins(day::date) as begins, least(business_day_begins(day::date + 1), now()) as ends
      from generate_series(${wanted.from}::date, least(${wanted.to}::date, business_day(now())), interval '1 day') day) day),
  known as materialized (select id as machine_id, least((select min(day) from report_games where machine_id = id),
      (select min(day) from report_seats where machine_id = id)) as first from machine)`;

const availability = (wanted: Wanted) => ({
  source: sql`(with ${machineDays(wanted)} select machine_id, day, ms from days join known on known.first <= days.day)`,
  columns: sql`coalesce(sum(ms), 0)::bigint as "availableMs"`,
});

const discrepancySums = (wanted: Wanted) => ({
  source: sql`(select machine_id, business_day(found_at) as day, explained_at, machine_amount - ledger_amount as amount from discrepancy
    where found_at >= business_day_begins(${wanted.from}::date) and found_at < business_day_begins(${wanted.to}::date + 1))`,
  columns: sql`count(*)::bigint as found, count(*) filter (where explained_at is null)::bigint as open,
    coalesce(sum(amount), 0)::bigint as amount`,
});

/** How long seats were taken in each hour of each day of the week, and how long they could have been. */
export async function readHours(db: Kysely<unknown>, wanted: Wanted): Promise<ReportHours> {
  return await reading(db, async (trx) => {
    const head = await headOf(trx);
    const { rows: cells } = await sql<ReportHours["cells"][number]>`
      with ${machineDays(wanted)}, seated as (select extract(isodow from d.day)::int as weekday, d.hour::int as hour, sum(d.seated_ms) as ms
          from ${stays(wanted)} d join machine m on m.id = d.machine_id where ${matches(wanted)} group by 1, 2),
        floor as (select days.day, days.begins, days.ends, count(*) as machines from days join known on known.first <= days.day
          join machine m on m.id = known.machine_id where ${matches(wanted)} group by 1, 2, 3),
        available as (select extract(isodow from f.day)::int as weekday, piece.hour::int as hour, sum(piece.ms * f.machines) as ms
          from floor f cross join lateral report_pieces(f.begins, f.ends) piece group by 1, 2)
      select weekday, hour, coalesce(seated.ms, 0)::bigint as "seatedMs", coalesce(available.ms, 0)::bigint as "availableMs"
        from available full join seated using (weekday, hour) order by 1, 2`.execute(trx);
    return { ...head, from: wanted.from, to: wanted.to, cells };
  });
}
