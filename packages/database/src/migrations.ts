import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClientBase, Pool, PoolClient } from "pg";
import { BoundedClient } from "./connection.ts";
import type { Log } from "./log.ts";

/** The advisory lock of every process that changes tables. Any number, the same for ever. */
export const MIGRATION_LOCK = 7_045_119_264_881_003n;

export type MigrateOptions = {
  readonly pool: Pool;
  /** Applied in this order; a later set may use tables of an earlier one. */
  readonly sets: readonly MigrationSet[];
  readonly log: Log;
};

/**
 * Brings the database up to what the code knows, each migration in a transaction of its own. Safe when several processes
 * start together, and when one is killed in the middle.
 * @returns the names applied now, `ledger/0001-accounts`.
 * @throws MigrationError when a released migration was changed, or when the database is newer than this program.
 */
export async function migrate({ pool, sets, log }: MigrateOptions): Promise<string[]> {
  const planned = await Promise.all(sets.map(async (set) => ({ set, migrations: await readMigrations(set) })));
  return await withMigrationLock(pool, async (client) => {
    await client.query(RECORD_TABLE);
    const applied: string[] = [];
    for (const { set, migrations } of planned) {
      const missing = await findMissing(client, set.name, migrations);
      for (const migration of missing) {
        await applyOne(client, set.name, migration);
        log.info({ migration: `${set.name}/${migration.name}` }, "migration applied");
        applied.push(`${set.name}/${migration.name}`);
      }
    }
    return applied;
  });
}

/** Runs `work` on one connection under the migration lock; the server releases the lock of a killed process. */
async function withMigrationLock<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    if (client instanceof BoundedClient) client.disableTimeout();
    await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK.toString()]);
    return await work(client);
  } finally {
    // The connection is closed, and its lock and settings go with it.
    client.release(true);
  }
}

/** What was applied, and as what. */
export const RECORD_TABLE = `
  create table if not exists schema_migration (
    set_name text not null,
    number integer not null,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now(),
    primary key (set_name, number)
  )`;

async function findMissing(client: ClientBase, setName: string, known: readonly Migration[]): Promise<Migration[]> {
  const recorded = await client.query<{ number: number; name: string; sha256: string }>(
    "select number, name, sha256 from schema_migration where set_name = $1 order by number",
    [setName],
  );
  for (const row of recorded.rows) {
    const migration = known[row.number - 1];
    if (!migration) {
      throw new MigrationError(
        `This database has had ${setName}/${row.name}, which this program does not know: start the newer program that made it.`,
      );
    }
    if (migration.sha256 !== row.sha256) {
      throw new MigrationError(
        `${setName}/${migration.name} was changed after it had been applied here: put it back as it was and write a new migration.`,
      );
    }
  }
  return known.slice(recorded.rows.length);
}

/** Applies missing migrations inside the caller's transaction, which must hold the migration lock. For a database with a record of migrations. */
export async function applyMissing(client: ClientBase, sets: readonly MigrationSet[]): Promise<void> {
  for (const set of sets)
    for (const migration of await findMissing(client, set.name, await readMigrations(set)))
      await applyRecorded(client, set.name, migration);
}

async function applyRecorded(client: ClientBase, setName: string, migration: Migration): Promise<void> {
  await client.query(migration.up);
  await client.query("insert into schema_migration (set_name, number, name, sha256) values ($1, $2, $3, $4)", [
    setName,
    migration.number,
    migration.name,
    migration.sha256,
  ]);
}

/** Applies one migration and records it, both or neither. */
export async function applyOne(client: PoolClient, setName: string, migration: Migration): Promise<void> {
  await client.query("begin");
  try {
    await applyRecorded(client, setName, migration);
    await client.query("commit");
  } catch (cause) {
    await client.query("rollback");
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new MigrationError(`${setName}/${migration.name} failed and changed nothing: ${reason}`, { cause });
  }
}

/** One part's migrations: a name for ever, and the folder that holds `NNNN-name/{why.md,up.sql}`. */
export type MigrationSet = { readonly name: string; readonly folder: string | URL };

export type Migration = {
  readonly number: number;
  /** Folder name, `0001-accounts`. */
  readonly name: string;
  readonly up: string;
  readonly sha256: string;
  /** Rows to have before the upgrade, for the rehearsal. */
  readonly before?: string;
  /** Statements that fail when the upgrade went wrong, for the rehearsal. */
  readonly afterTest?: string;
};

/** The migrations cannot be applied as they are. The message is one sentence that says what to do. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

const folderName = /^(\d{4})-[a-z0-9-]+$/;

/** Reads a set, in order. @throws MigrationError for a bad name, a gap, an empty `up.sql` or a missing `why.md`. */
export async function readMigrations(set: MigrationSet): Promise<Migration[]> {
  const root = set.folder instanceof URL ? fileURLToPath(set.folder) : set.folder;
  const entries = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const migrations = await Promise.all(entries.map((entry) => readOne(set.name, root, entry.name)));
  migrations.sort((one, other) => one.number - other.number);
  for (const [index, migration] of migrations.entries()) {
    if (migration.number === index + 1) continue;
    throw new MigrationError(
      `${set.name}/${migration.name} must have the number ${index + 1}: migrations are numbered from 0001 without gaps or doubles.`,
    );
  }
  return migrations;
}

async function readOne(setName: string, root: string, name: string): Promise<Migration> {
  const number = folderName.exec(name)?.[1];
  if (number === undefined) {
    throw new MigrationError(`${setName}/${name} is no migration name: write four digits, a dash and a few words.`);
  }
  const read = (file: string) => readFile(join(root, name, file), "utf8").catch(() => undefined);
  const [why, rawUp, before, afterTest] = await Promise.all(
    ["why.md", "up.sql", "before.sql", "after.test.sql"].map(read),
  );
  if (!why?.trim()) throw new MigrationError(`${setName}/${name} needs a why.md with a sentence of why.`);
  if (!rawUp?.trim()) throw new MigrationError(`${setName}/${name} needs an up.sql.`);
  // A checkout with other line endings is the same migration.
  const up = rawUp.replaceAll("\r\n", "\n");
  return {
    number: Number(number),
    name,
    up,
    sha256: createHash("sha256").update(up).digest("hex"),
    ...(before === undefined ? {} : { before }),
    ...(afterTest === undefined ? {} : { afterTest }),
  };
}
