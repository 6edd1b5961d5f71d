import type { DatabasePool } from "@longarm/database/connection";

/** What a table takes and what of it its rows explain. */
export type TableHeld = {
  readonly name: string;
  readonly rows: number;
  /** Versions of rows that nobody can see any more and no vacuum has taken out yet, beyond those that autovacuum lets stand. */
  readonly deadRows: number;
  /** Of table, its long values and its indexes. */
  readonly megabytes: number;
  /** Of these, what its rows do not explain. */
  readonly beyondMb: number;
};

/** Where a vacuum begins by itself: PostgreSQL's own settings. */
const DEAD_ALLOWED = { rows: 50, share: 0.2 };
/** A row in its page: its pointer, and what does not fit at the page's end. */
const PAGE_SHARE = 0.85;
/** An index whose keys come in any order is two thirds full by itself, and half full at worst. */
const INDEX_SHARE = 0.5;

const READ = `
  select n.nspname || '.' || c.relname as name, own.tuple_count as rows, s.n_dead_tup as dead,
    own.table_len + coalesce(long.table_len, 0) as length, own.tuple_len + coalesce(long.tuple_len, 0) as used,
    coalesce(i.length, 0) as index_length, coalesce(i.used, 0) as index_used
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid join pg_namespace n on n.oid = c.relnamespace
  cross join lateral pgstattuple(c.oid) own
  left join lateral pgstattuple(nullif(c.reltoastrelid, 0)) long on true
  left join lateral (
    select sum(pg_relation_size(x.indexrelid))::bigint as length,
      sum(case when am.amname = 'btree' and b.leaf_pages > 0 and b.avg_leaf_density <> 'NaN'
        then (b.leaf_pages * b.avg_leaf_density / 100 + b.internal_pages + 1) * 8192
        when am.amname = 'btree' then 16384 else pg_relation_size(x.indexrelid) end)::bigint as used
    from pg_index x join pg_class ic on ic.oid = x.indexrelid join pg_am am on am.oid = ic.relam
    left join lateral pgstatindex(case when am.amname = 'btree' then x.indexrelid end) b on true
    where x.indrelid = c.oid) i on true
  order by 1`;

type Row = {
  readonly name: string;
  readonly rows: number;
  readonly dead: number;
  readonly length: number;
  readonly used: number;
  readonly index_length: number;
  readonly index_used: number;
};

/** Once, before the first reading: what counts the bytes of rows and pages. */
export async function prepareTables(pool: DatabasePool): Promise<void> {
  await pool.query("create extension if not exists pgstattuple");
}

/** Reads every page of every table: some tens of megabytes after an hour. */
export async function readTables(pool: DatabasePool): Promise<TableHeld[]> {
  const { rows } = await pool.query<Row>(READ);
  return rows.map(heldBy);
}

export function heldBy(row: Row): TableHeld {
  const beyond =
    Math.max(0, row.length - row.used / PAGE_SHARE) + Math.max(0, row.index_length - row.index_used / INDEX_SHARE);
  return {
    name: row.name.replace(/^public\./, ""),
    rows: row.rows,
    deadRows: Math.max(0, row.dead - DEAD_ALLOWED.rows - DEAD_ALLOWED.share * row.rows),
    megabytes: (row.length + row.index_length) / 2 ** 20,
    beyondMb: beyond / 2 ** 20,
  };
}

/** Connections of everybody but the one that asks. */
export async function readConnections(pool: DatabasePool, ownName: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and application_name <> $1`,
    [ownName],
  );
  return rows[0]?.count ?? 0;
}
