import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "@longarm/database/clock";
import { openDatabase } from "@longarm/database/connection";
import { startEmbeddedPostgres } from "@longarm/database/embedded-server";
import { silentLog } from "@longarm/database/log";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";

/** The clock of a venue's computers, which a test moves: PostgreSQL's, which judges, and that of each program. */
export type MovedClock = {
  /** A PostgreSQL that reads this clock. */
  readonly databaseUrl: string;
  /** For each program of the venue. */
  readonly env: Readonly<Record<string, string>>;
  /** By this clock, ms since 1970. */
  now(): number;
  /** All of them show this time now, and run on from it. An agent that is connected keeps its own until it is restarted. */
  moveTo(at: string): Promise<void>;
  close(): Promise<void>;
};

/*
 * A function of the schema `public` is found before PostgreSQL's own of the same name, as the database's search path puts it first. So queries,
 * defaults and functions that are made after this read the moved clock, and the product needs no seam for it.
 */
const MOVED = ["clock_timestamp", "now", "statement_timestamp", "transaction_timestamp"].map(
  (
    name,
  ) => `create function public.${name}() returns timestamptz language sql ${name === "clock_timestamp" ? "volatile" : "stable"}
    as 'select pg_catalog.${name}() + (select ahead from public.moved_clock)'`,
);

export async function openMovedClock(startAt: string): Promise<MovedClock> {
  const { folder, remove } = await temporaryDataFolder();
  const file = join(folder, "ahead-ms");
  const program = pathToFileURL(join(import.meta.dirname, "moved-date.ts"));
  program.searchParams.set("file", file);
  const server = await startEmbeddedPostgres({ folder, log: silentLog, clock: systemClock, fast: true });
  const { pool, close } = openDatabase<unknown>({ url: server.url, maxConnections: 1, log: silentLog });
  let aheadMs = 0;

  async function moveTo(at: string): Promise<void> {
    aheadMs = Date.parse(at) - Date.now();
    await pool.query("update public.moved_clock set ahead = make_interval(secs => $1)", [aheadMs / 1_000]);
    // A program reads the whole number or the one before.
    writeFileSync(`${file}.new`, String(aheadMs));
    renameSync(`${file}.new`, file);
  }

  await pool.query("create table public.moved_clock (ahead interval not null)");
  await pool.query("grant select on public.moved_clock to public");
  await pool.query("insert into public.moved_clock values (interval '0')");
  for (const made of MOVED) await pool.query(made);
  await pool.query(
    "do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$",
  );
  await moveTo(startAt);
  return {
    databaseUrl: server.url,
    env: { NODE_OPTIONS: `--import=${program.href}` },
    now: () => Date.now() + aheadMs,
    moveTo,
    async close() {
      await close();
      await server.stop();
      await remove();
    },
  };
}
