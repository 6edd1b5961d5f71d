import type { ClientBase, QueryResultRow } from "pg";
import pg from "pg";
import { typeParsers } from "../connection.ts";
import type { AppliedMigration, SequenceHead, TableHead } from "./format.ts";

/** Runs one statement inside the transaction of a backup or a restore. */
export type Query = <Row extends QueryResultRow = QueryResultRow>(
  sql: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

export const queryOf =
  (client: ClientBase): Query =>
  async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(sql, [...values])).rows;

export type TransactionOptions = {
  readonly url: string;
  /** Shown in the server's own views. */
  readonly name: string;
  /** `isolation level …`. */
  readonly how?: string;
};

/** Runs work on a connection and in a transaction of its own, without the limits of time that a platform's queries have. */
export async function inTransaction<T>(
  { url, name, how = "" }: TransactionOptions,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: name, types: typeParsers, keepAlive: true });
  // The query that runs then fails by itself; an idle one must not end this process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(`begin transaction ${how}`);
    await client.query(FIXED_FORMATS);
    const done = await work(client);
    await client.query("commit");
    return done;
  } finally {
    // What was not committed is rolled back with the connection.
    await client.end();
  }
}

/** Schemas of people, not of PostgreSQL. */
const OWN_SCHEMA = "n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'";

/** Every kept table with the columns that are written into it. An unlogged one holds only data that may be lost in a crash. */
export async function readTables(client: ClientBase): Promise<TableHead[]> {
  const { rows } = await client.query<TableHead>(`
    select n.nspname as schema, c.relname as name,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and c.relpersistence = 'p' and ${OWN_SCHEMA}
    order by 1, 2`);
  return rows;
}

export async function readSequences(client: ClientBase): Promise<SequenceHead[]> {
  const { rows } = await client.query<SequenceHead>(`
    select schemaname as schema, sequencename as name, last_value::text as value from pg_sequences order by 1, 2`);
  return rows;
}

export async function readApplied(client: ClientBase): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'select set_name as "set", number, name, sha256 from schema_migration order by applied_at, set_name, number',
  );
  return rows;
}

/** Objects of a database beside PostgreSQL's own: names for a message, at most five. Empty: the database is new. */
export async function foreignObjects(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where ${OWN_SCHEMA}
    union all
    select n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where ${OWN_SCHEMA} and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all
    select n.nspname from pg_namespace n where ${OWN_SCHEMA} and n.nspname <> 'public'
    order by 1 limit 5`);
  return rows.map((row) => row.name);
}

export const quoted = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;
export const quotedTable = ({ schema, name }: { schema: string; name: string }): string =>
  `${quoted(schema)}.${quoted(name)}`;

/** Values are written the same way whatever the server, the database or the user is set to. */
export const FIXED_FORMATS = `
  set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local extra_float_digits = 3; set local bytea_output = 'hex'; set local client_encoding = 'UTF8';
  set local row_security = off; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/** How many rows a table has and a sum over their content that does not depend on their order. */
export async function fingerprintOf(
  client: ClientBase,
  table: TableHead,
): Promise<{ rows: number; fingerprint: string }> {
  const row = `row(${table.columns.map(quoted).join(", ")})::text`;
  const eight = `('x' || encode(substr(sha256(convert_to(${row}, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint`;
  const { rows } = await client.query<{ rows: string; fingerprint: string }>(
    `select count(*)::text as rows, coalesce(sum(${eight}::numeric), 0)::text as fingerprint from ${quotedTable(table)}`,
  );
  const [found] = rows;
  return { rows: Number(found?.rows), fingerprint: found?.fingerprint ?? "0" };
}
