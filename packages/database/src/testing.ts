import { threadId } from "node:worker_threads";
import type { Kysely } from "kysely";
import type pg from "pg";
import { inject } from "vitest";
import { openDatabase } from "./connection.ts";
import { silentLog } from "./log.ts";
import type { MigrationSet } from "./migrations.ts";
import { migrate } from "./migrations.ts";
import { fingerprintOf } from "./testing/fingerprint.ts";
import { addressOf, askServer, dropDatabase, endConnections, onServer } from "./testing/server.ts";
import type {} from "./testing-setup.ts";

export type TestDatabase<DB> = {
  readonly url: string;
  readonly kysely: Kysely<DB>;
  readonly pool: pg.Pool;
  /** Closes the pool and removes the database, even while others are connected. */
  drop(): Promise<void>;
};

export type TestDatabaseOptions = {
  /** In the order in which they are applied. Default: none, an empty database. */
  readonly migrations?: readonly MigrationSet[];
  readonly maxConnections?: number;
};

/**
 * A fresh database for one test file, migrated. The migrated form is made once per run and its files are copied, which takes some tens of
 * milliseconds. Needs `@longarm/database/testing-setup` in `globalSetup` of the Vitest project.
 */
export async function testDatabase<DB = unknown>(options: TestDatabaseOptions = {}): Promise<TestDatabase<DB>> {
  const server = inject("longarmTestServer");
  if (!server) throw new Error("name @longarm/database/testing-setup in globalSetup of this Vitest project");
  const sets = options.migrations ?? [];
  const template = sets.length === 0 ? "template1" : await templateOf(server, sets);
  const name = await makeCopy(server, template);
  const url = addressOf(server, name);
  const { kysely, pool, close } = openDatabase<DB>({
    url,
    maxConnections: options.maxConnections ?? 4,
    log: silentLog,
  });
  async function drop() {
    await close();
    await dropDatabase(server, name);
  }
  return { url, kysely, pool, drop };
}

let copies = 0;
async function makeCopy(server: string, template: string): Promise<string> {
  copies += 1;
  // Unique among all workers of the run, which are processes or threads.
  const name = `test_${process.pid}_${threadId}_${copies}`;
  await askServer(server, `create database ${name} template ${template} strategy file_copy`);
  return name;
}

const MAKING = 402;

const templates = new WeakMap<readonly MigrationSet[], Promise<string>>();
function templateOf(server: string, sets: readonly MigrationSet[]): Promise<string> {
  const template = templates.get(sets) ?? ensureTemplate(server, sets);
  templates.set(sets, template);
  return template;
}

async function ensureTemplate(server: string, sets: readonly MigrationSet[]): Promise<string> {
  const name = `template_${await fingerprintOf(sets)}`;
  return await onServer(server, async (client) => {
    await client.query(`select pg_advisory_lock(${MAKING})`);
    const found = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (found.rowCount !== 0) return name;
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft}`);
    const { pool, close } = openDatabase({ url: addressOf(server, draft), maxConnections: 1, log: silentLog });
    await migrate({ pool, sets, log: silentLog }).finally(close);
    await endConnections(client, draft);
    await client.query(`alter database ${draft} rename to ${name}`);
    return name;
  });
}
