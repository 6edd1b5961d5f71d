import type { ClientBase } from "pg";
import type { AppliedMigration, SequenceHead, TableHead } from "./format.ts";

/** Schemas of people, not of PostgreSQL. */
const OWN_SCHEMA = "n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'";

/** Every kept table with the columns that are written into it. An unlogged one holds nothing that a crash may not take. */
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

/** What stands in a database beside PostgreSQL's own: names for a sentence, at most five. Empty: it is a new one. */
export async function readStrangers(client: ClientBase): Promise<string[]> {
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
export const SAME_WORDS = `
  set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local extra_float_digits = 3; set local bytea_output = 'hex'; set local client_encoding = 'UTF8';
  set local row_security = off; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/** How many rows a table has and a sum over what stands in them, whatever their order. */
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
