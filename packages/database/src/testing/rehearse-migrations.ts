import type { Pool, PoolClient } from "pg";
import type { MigrationSet } from "../migrations.ts";
import { applyOne, RECORD_TABLE, readMigrations } from "../migrations.ts";

/**
 * Walks a set up on an empty database (with the sets it builds on already there): before each migration its `before.sql`
 * puts rows into the old form, after it its `after.test.sql` must run without an error (`do $$ begin assert …; end $$`).
 * @returns the names walked.
 */
export async function rehearseMigrations(pool: Pool, set: MigrationSet): Promise<string[]> {
  const client: PoolClient = await pool.connect();
  try {
    await client.query(RECORD_TABLE);
    const walked: string[] = [];
    for (const migration of await readMigrations(set)) {
      if (migration.before !== undefined) await client.query(migration.before);
      await applyOne(client, set.name, migration);
      if (migration.afterTest !== undefined) await client.query(migration.afterTest);
      walked.push(migration.name);
    }
    return walked;
  } finally {
    client.release(true);
  }
}
