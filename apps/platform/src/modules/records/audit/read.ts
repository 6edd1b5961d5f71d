import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { EntryText } from "./chain.ts";

/** Columns of an entry `e` as text. */
export const entryColumns = sql`e.id::text as id, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, e.source, e.type,
  e.actor, e.subject, e.address, e.before::text as before, e.after::text as after, e.facts::text as facts`;

/** Which entries to read; an absent field restricts nothing. */
export type EntryFilter = {
  /** Not before this time (ISO 8601), and before that one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Any of these types. */
  readonly types?: readonly string[] | undefined;
  readonly actor?: string | undefined;
  readonly subject?: string | undefined;
  /** Only entries that are older than the one with this id. */
  readonly before?: string | undefined;
};

/** Entries read at once. */
const PAGE_ROWS = 2_000;

/** Entries in the order in which they were written, read by pages: a year of them takes no more memory than a page. */
export async function* readEntries(db: AnyDb, filter: EntryFilter): AsyncGenerator<EntryText> {
  let after = "0";
  for (;;) {
    const { rows } = await sql<EntryText>`select ${entryColumns} from audit.entries e
      where e.id > ${after}::bigint and ${conditions(filter)} order by e.id limit ${PAGE_ROWS}`.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = last.id;
  }
}

/** The newest entries, oldest of them first. @param most 1 to 10 000. */
export async function newestEntries(db: AnyDb, filter: EntryFilter, most: number): Promise<EntryText[]> {
  const { rows } = await sql<EntryText>`select ${entryColumns} from audit.entries e
    where ${conditions(filter)} order by e.id desc limit ${most}`.execute(db);
  return rows.reverse();
}

function conditions({ from, to, types, actor, subject, before }: EntryFilter) {
  return sql.join(
    [
      sql`true`,
      ...(from === undefined ? [] : [sql`e.at >= ${from}::timestamptz`]),
      ...(to === undefined ? [] : [sql`e.at < ${to}::timestamptz`]),
      ...(types === undefined ? [] : [sql`e.type = any(${[...types]}::text[])`]),
      ...(actor === undefined ? [] : [sql`e.actor = ${actor}`]),
      ...(subject === undefined ? [] : [sql`e.subject = ${subject}`]),
      ...(before === undefined ? [] : [sql`e.id < ${before}::bigint`]),
    ],
    sql` and `,
  );
}
