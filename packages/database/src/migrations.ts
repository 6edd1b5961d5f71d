import type { ClientBase, Pool, PoolClient } from "pg";
import { BoundedClient } from "./bounded-client.ts";
import type { Log } from "./log.ts";
import type { Migration, MigrationSet } from "./migration-files.ts";
import { MigrationError, readMigrations } from "./migration-files.ts";

export { MigrationError, type MigrationSet } from "./migration-files.ts";

/** Whoever changes tables takes this turn. Any number, the same for ever. */
export const TURN = 7_045_119_264_881_003n;

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
  return await inTurn(pool, async (client) => {
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

/** Runs `work` on one connection while no other process does the same; a killed process gives its turn back by itself. */
async function inTurn<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    if (client instanceof BoundedClient) client.waitForever();
    await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
    await client.query("select pg_advisory_lock($1)", [TURN.toString()]);
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

/** Applies whatever is missing inside the caller's transaction, which must have its turn. For a database with its record of migrations. */
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
