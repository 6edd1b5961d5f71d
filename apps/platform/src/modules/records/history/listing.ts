import { LISTED_ROWS_MAX } from "@longarm/contract/http";
import type { Kysely, RawBuilder, Transaction } from "kysely";
import { sql } from "kysely";
import type { HistoryTables } from "./tables.ts";

export type HistoryDb = Kysely<HistoryTables>;
type Reading = Transaction<HistoryTables>;

/** A table of rows of players, listed newest first; an index over player, kind, time and tie serves each order. */
export type Listing<Kind extends Record<string, string | number>> = {
  readonly table: keyof HistoryTables;
  readonly time: string;
  /** Orders rows of the same time. */
  readonly tie: string;
  /** Columns by which rows are searched, few combinations of them per player; with their SQL types. */
  readonly kind: { readonly [Column in keyof Kind & string]: "smallint" | "text" };
};

/** A row's place in a list: `at` is the database's own text of its time, which is finer than a Date. */
export type Place = { readonly at: string; readonly tie: string | number };

export type Wanted<Kind> = {
  readonly playerId: string;
  /** Columns that must have a value. */
  readonly having: Readonly<Record<string, string | number>>;
  /** Only rows of these kinds; null: of all. */
  readonly kinds: readonly Kind[] | null;
  readonly from: Date | null;
  /** Not included. */
  readonly to: Date | null;
  /** Only rows behind this one. */
  readonly after: Place | null;
  readonly offset: number;
  readonly limit: number;
};

/**
 * Runs reads in one snapshot, by indexes in their order alone. Statistics are of all players together: the plan that is right for
 * most of them (collect, then sort) reads everything of the one with a million rows.
 */
export async function reading<Result>(db: HistoryDb, read: (trx: Reading) => Promise<Result>): Promise<Result> {
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      await sql`select ${sql.join(
        ["enable_seqscan", "enable_bitmapscan", "jit"].map((name) => sql`set_config(${sql.lit(name)}, 'off', true)`),
      )}`.execute(trx);
      return await read(trx);
    });
}

/** The rows of one page and, when there are more behind them, the first of those. */
export async function rowsOf<Row, Kind extends Record<string, string | number>>(
  trx: Reading,
  listing: Listing<Kind>,
  columns: RawBuilder<unknown>,
  wanted: Wanted<Kind>,
): Promise<readonly Row[]> {
  const { offset, limit, kinds } = wanted;
  const order = sql`order by ${column(listing.time)} desc, ${column(listing.tie)} desc`;
  const source =
    kinds === null
      ? sql`${sql.table(listing.table)} r where ${matches(listing, wanted)}`
      : ofEach(
          listing,
          kinds,
          sql`select * from ${sql.table(listing.table)} r where ${matches(listing, wanted)} and ${isOfKind(listing)}
            ${order} limit ${offset + limit + 1}`,
        );
  const query = sql<Row>`select ${columns} from ${source} ${order} limit ${limit + 1} offset ${offset}`;
  return (await query.execute(trx)).rows;
}

/** How many rows match, counted up to one above `LISTED_ROWS_MAX`; where they are read from does not matter. */
export async function countOf<Kind extends Record<string, string | number>>(
  trx: Reading,
  listing: Listing<Kind>,
  wanted: Wanted<Kind>,
): Promise<number> {
  const all = { ...wanted, after: null };
  const enough = sql`limit ${LISTED_ROWS_MAX + 1}`;
  const rows = sql`${sql.table(listing.table)} r where ${matches(listing, all)}`;
  const source =
    wanted.kinds === null
      ? rows
      : ofEach(listing, wanted.kinds, sql`select from ${rows} and ${isOfKind(listing)} ${enough}`);
  const query = sql<{ counted: number }>`select count(*) as counted from (select from ${source} ${enough}) as found`;
  return (await query.execute(trx)).rows[0]?.counted ?? 0;
}

/** All kinds of rows a player has, found by jumping from each to the next in the index: it costs what there are kinds, not rows. */
export async function kindsOf<Kind extends Record<string, string | number>>(
  trx: Reading,
  listing: Listing<Kind>,
  playerId: string,
): Promise<readonly Kind[]> {
  const names = Object.keys(listing.kind);
  const plain = sql.join(names.map((name) => sql.ref(name)));
  const next = (beyond: RawBuilder<unknown>) => sql`(select ${plain} from ${sql.table(listing.table)} r
    where r.player_id = ${playerId} ${beyond} order by ${sql.join(names.map(column))} limit 1)`;
  const beyond = sql`and (${sql.join(names.map(column))}) > (${sql.join(names.map((name) => sql.ref(`k.${name}`)))})`;
  const query = sql<Kind>`with recursive k as (${next(sql``)} union all
    select n.* from k cross join lateral ${next(beyond)} n) select * from k`;
  return (await query.execute(trx)).rows;
}

/** Names of machines now. One that the platform never knew is called by its id. */
export async function machineNames(trx: Reading, ids: Iterable<string>): Promise<(machineId: string) => string> {
  const wanted = [...new Set(ids)].filter((id) => id !== "");
  const { rows } = await sql<{ id: string; name: string }>`select id, facts ->> 'name' as name from machine
    where id = any(${wanted})`.execute(trx);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (machineId) => names.get(machineId) ?? machineId;
}

const column = (name: string): RawBuilder<unknown> => sql.ref(`r.${name}`);

function matches<Kind extends Record<string, string | number>>(
  { time, tie }: Listing<Kind>,
  { playerId, having, from, to, after }: Wanted<Kind>,
): RawBuilder<unknown> {
  const conditions = [
    sql`r.player_id = ${playerId}`,
    ...Object.entries(having).map(([name, value]) => sql`${column(name)} = ${value}`),
    ...(from === null ? [] : [sql`${column(time)} >= ${from}`]),
    ...(to === null ? [] : [sql`${column(time)} < ${to}`]),
    ...(after === null ? [] : [sql`(${column(time)}, ${column(tie)}) < (${after.at}::timestamptz, ${after.tie})`]),
  ];
  return sql.join(conditions, sql` and `);
}

/** `read` once for each kind, each by its index in order; the limit inside keeps the planner from reading it any other way. */
function ofEach<Kind extends Record<string, string | number>>(
  { kind }: Listing<Kind>,
  kinds: readonly Kind[],
  read: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const columns = Object.entries<string>(kind);
  const values = columns.map(([name, type]) => sql`${kinds.map((one) => one[name])}::${sql.raw(type)}[]`);
  const names = sql.join(columns.map(([name]) => sql.ref(name)));
  return sql`unnest(${sql.join(values)}) as k(${names}) cross join lateral (${read}) r`;
}

function isOfKind<Kind extends Record<string, string | number>>({ kind }: Listing<Kind>): RawBuilder<unknown> {
  return sql.join(
    Object.keys(kind).map((name) => sql`${column(name)} = ${sql.ref(`k.${name}`)}`),
    sql` and `,
  );
}
