import type { DatabasePool } from "@longarm/database/connection";
import type { PageHeld } from "../../rig/process.ts";
import { processesBelow, processOf, readProcess } from "../../rig/process.ts";
import type { Venue } from "../../rig/venue/venue.ts";
import type { Records } from "./growth.ts";
import { OF_DATABASE, OF_PAGE, ofProgram, ofTable } from "./growth.ts";
import type { Inspector } from "./inspector.ts";
import { openInspector } from "./inspector.ts";

/** Named to the server, so that the run's own connections are not counted as the platform's. */
export const OWN_NAME = "longarm long run";

/** The agent's second process, by the name that readings have. */
export const MEDIA_PROCESS = "media process";

/** A program of the venue; `pid` 0: it does not run now. */
export type Program = { readonly name: string; pid(): number; inside(): Promise<Inspector>; close(): void };

/** The venue's Node processes, each inspected from outside. They were started with `--inspect`. */
export async function openPrograms(venue: Venue): Promise<Program[]> {
  await prepareTables(venue.db.pool);
  const agent = (): number => venue.agent.pid();
  const programs = [
    programOf("platform", () => venue.platform.pid()),
    programOf("agent", agent),
    // The core starts it, and starts it again when it has ended.
    programOf(MEDIA_PROCESS, () => processOf(agent(), "media-main.ts") ?? 0),
  ];
  for (const { inside } of programs) await inside();
  return programs;
}

function programOf(name: string, pid: () => number): Program {
  let open: { readonly pid: number; readonly inspector: Inspector } | undefined;
  return {
    name,
    pid,
    async inside() {
      const now = pid();
      if (open?.pid !== now) {
        open?.inspector.close();
        open = { pid: now, inspector: await openInspector(now) };
      }
      return open.inspector;
    },
    close: () => open?.inspector.close(),
  };
}

export type Sampler = {
  /** What the operating system reports about the processes: costs them nothing. */
  look(): void;
  /** Collects garbage and reads every table: costs the venue some tens of milliseconds. */
  lookInside(): Promise<void>;
  /** The kinds of what keeps each program busy, at the last look inside. */
  kinds(): string[];
  /** A sentence for each program that is not the process any more that it was at the first look. */
  ended(): string[];
};

/** `page`: what the browser's page holds; undefined: there is none. */
export function createSampler(
  venue: Venue,
  programs: readonly Program[],
  records: Records,
  page: (() => Promise<PageHeld>) | undefined,
): Sampler {
  const kinds = new Map<string, string>();
  const first = new Map(programs.map(({ name, pid }) => [name, pid()]));
  return {
    look() {
      const at = performance.now();
      for (const { name, pid } of programs) lookAtProgram(records, name, pid(), at);
      const own = processesBelow(venue.databasePid() ?? 0).map((pid) => readProcess(pid)?.ownMb ?? 0);
      records.note(
        OF_DATABASE.own,
        at,
        own.reduce((sum, one) => sum + one, 0),
      );
    },
    async lookInside() {
      for (const { name, pid, inside } of programs) {
        if (pid() !== first.get(name)) continue;
        const held = await (await inside()).held();
        const measures = ofProgram(name);
        const at = performance.now();
        records.note(measures.heap, at, held.heapMb);
        records.note(measures.external, at, held.externalMb);
        records.note(measures.resources, at, held.resources);
        kinds.set(
          name,
          Object.entries(held.kinds)
            .map(([kind, count]) => `${kind} ${count}`)
            .join(", "),
        );
      }
      await lookAtTables(venue, records);
      if (page === undefined) return;
      const held = await page().catch(() => undefined);
      if (held === undefined) return;
      const at = performance.now();
      records.note(OF_PAGE.heap, at, held.heapMb);
      records.note(OF_PAGE.nodes, at, held.nodes);
      records.note(OF_PAGE.listeners, at, held.listeners);
    },
    ended: () =>
      programs
        .filter(({ name, pid }) => pid() !== first.get(name))
        .map(({ name }) => `The ${name} ended and was started again, so its growth was judged only until then.`),
    kinds: () => [...kinds].map(([name, line]) => `${name}: ${line}`),
  };
}

function lookAtProgram(records: Records, name: string, pid: number, at: number): void {
  const held = readProcess(pid);
  // One that is being started again.
  if (held === null) return;
  const measures = ofProgram(name);
  records.note(measures.resident, at, held.residentMb);
  records.note(measures.files, at, held.files);
  records.note(measures.connected, at, held.connected);
  records.note(measures.halfClosed, at, held.halfClosed);
  records.note(measures.udp, at, held.udp);
  records.note(measures.threads, at, held.threads);
}

async function lookAtTables({ db }: Venue, records: Records): Promise<void> {
  const tables = await readTables(db.pool);
  const connections = await readConnections(db.pool, OWN_NAME);
  const at = performance.now();
  for (const { name, rows, deadRows, beyondMb } of tables) {
    const measures = ofTable(name);
    records.note(measures.beyond, at, beyondMb);
    records.note(measures.dead, at, deadRows);
    if (measures.rows !== undefined) records.note(measures.rows, at, rows);
  }
  records.note(
    OF_DATABASE.beyond,
    at,
    tables.reduce((sum, { beyondMb }) => sum + beyondMb, 0),
  );
  records.note(
    OF_DATABASE.dead,
    at,
    tables.reduce((sum, { deadRows }) => sum + deadRows, 0),
  );
  records.note(OF_DATABASE.connections, at, connections);
}

/** What a table takes and what of it its rows explain. */
type TableHeld = {
  readonly name: string;
  readonly rows: number;
  /** Versions of rows that no transaction can see and no vacuum has removed yet, beyond those that autovacuum tolerates. */
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
async function prepareTables(pool: DatabasePool): Promise<void> {
  await pool.query("create extension if not exists pgstattuple");
}

/** Reads every page of every table: some tens of megabytes after an hour. */
async function readTables(pool: DatabasePool): Promise<TableHeld[]> {
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
async function readConnections(pool: DatabasePool, ownName: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and application_name <> $1`,
    [ownName],
  );
  return rows[0]?.count ?? 0;
}
