import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ClientBase } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { Migration, MigrationSet } from "../migrations.ts";
import { applyMissing, MIGRATION_LOCK, RECORD_TABLE, readMigrations } from "../migrations.ts";
import type { AppliedMigration, BackupHead, SequenceHead, TableEnd, TableHead } from "./format.ts";
import { BackupProblem, tableName } from "./format.ts";
import type { ReadBackup } from "./read-backup.ts";
import { readBackup } from "./read-backup.ts";
import type { Query } from "./transaction.ts";
import {
  fingerprintOf,
  foreignObjects,
  inTransaction,
  queryOf,
  quoted,
  quotedTable,
  readApplied,
  readSequences,
  readTables,
} from "./transaction.ts";

export type LoadBackup = {
  /** `postgres://…` of a database with nothing in it. */
  readonly url: string;
  readonly file: string;
  /** All migrations of this program. */
  readonly sets: readonly MigrationSet[];
  /** Holds the tables, as they were in the backup, to what it says of them. */
  readonly check: (query: Query, head: BackupHead) => Promise<void>;
  /** Changes what must not go on as it was. The tables are those of this program by then. */
  readonly afterwards: (query: Query, read: ReadBackup) => Promise<void>;
  /** A table is loaded. */
  readonly loaded?: (table: string, rows: number) => void;
};

/**
 * Restores a backup into an empty database, whole or not at all: tables by the migrations that the backup was made with, rows as they
 * were, sequences; then every sum is made again from the tables themselves, and newer migrations of this program follow.
 * @throws BackupProblem when the database is not empty or in use, or the backup cannot be used.
 */
export async function loadBackup({ url, file, sets, check, afterwards, loaded }: LoadBackup): Promise<ReadBackup> {
  const read = await inTransaction({ url, name: "longarm restore" }, async (client) => {
    await takeDatabase(client);
    const sums: { table: TableHead; sum: TableEnd }[] = [];
    const whole = await loadRows(client, { file, sets, sums, ...(loaded && { loaded }) });
    await setSequences(client, whole.head.sequences);
    await checkSums(client, whole.head, sums);
    await check(queryOf(client), whole.head);
    await applyMissing(client, sets);
    await afterwards(queryOf(client), whole);
    return whole;
  }).catch((error: unknown) => {
    throw translated(error);
  });
  await inTransaction({ url, name: "longarm restore" }, async (client) => {
    // Without it the first hours would run on guesses.
    await client.query("analyze");
  });
  return read;
}

/** Keeps other processes from migrating or starting on it until the restore is over, and checks that it is empty. */
async function takeDatabase(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ mine: boolean; encoding: string }>(
    "select pg_try_advisory_xact_lock($1) as mine, current_setting('server_encoding') as encoding",
    [MIGRATION_LOCK.toString()],
  );
  if (rows[0]?.mine !== true) throw new BackupProblem("Another process works on this database: stop it first.");
  if (rows[0].encoding !== "UTF8")
    throw new BackupProblem("The database is not in UTF8: make it with encoding 'UTF8'.");
  const strangers = await foreignObjects(client);
  if (strangers.length > 0)
    throw new BackupProblem(`The database is not empty (it has ${strangers.join(", ")}): restore into a new one.`);
}

type Loading = Pick<LoadBackup, "file" | "sets" | "loaded"> & { readonly sums: { table: TableHead; sum: TableEnd }[] };

/** The rows come as a stream, and the guards of the tables are away for as long as it runs. */
async function loadRows(client: ClientBase, { file, sets, sums, loaded }: Loading): Promise<ReadBackup> {
  const opened = Promise.withResolvers<BackupHead>();
  const guardsAway = Promise.withResolvers<void>();
  guardsAway.promise.catch(() => undefined);
  const reading = readBackup(file, {
    head: async (head) => {
      opened.resolve(head);
      await guardsAway.promise;
    },
    rows: (table, rows) => loadTable(client, table, rows),
    table: async (table, sum) => {
      sums.push({ table, sum });
      loaded?.(tableName(table), sum.rows);
    },
  });
  reading.catch(opened.reject);
  try {
    const head = await opened.promise;
    await bringUp(client, await migrationsOf(sets, head.migrations));
    await checkTables(client, head);
    await withoutGuards(client, head.tables, async () => {
      // Migrations may have brought rows of their own.
      await client.query(`truncate ${head.tables.map(quotedTable).join(", ")}`);
      guardsAway.resolve();
      await reading;
    });
  } catch (error) {
    guardsAway.reject(error);
    await reading.catch(() => undefined);
    throw error;
  }
  return await reading;
}

async function loadTable(client: ClientBase, table: TableHead, rows: AsyncIterable<Buffer>): Promise<void> {
  const columns = table.columns.map(quoted).join(", ");
  const into = client.query(copyFrom(`copy ${quotedTable(table)} (${columns}) from stdin`));
  await pipeline(Readable.from(rows, { objectMode: false }), into);
}

async function checkTables(client: ClientBase, head: BackupHead): Promise<void> {
  const ours = await readTables(client);
  const text = (tables: readonly TableHead[]): string[] =>
    tables.map((table) => `${tableName(table)} (${table.columns.toSorted().join(", ")})`).toSorted();
  const here = new Set(text(ours));
  const there = new Set(text(head.tables));
  const [other] = [...here.symmetricDifference(there)];
  if (other !== undefined)
    throw new BackupProblem(`The backup's tables are not those that its migrations make: ${other.slice(0, 300)}.`);
}

async function setSequences(client: ClientBase, sequences: readonly SequenceHead[]): Promise<void> {
  const names = ({ schema, name }: SequenceHead): string => `${schema}.${name}`;
  const here = new Set((await readSequences(client)).map(names));
  for (const sequence of sequences) {
    if (!here.has(names(sequence)))
      throw new BackupProblem(`There is no sequence ${names(sequence)}: the backup was altered.`);
    if (sequence.value !== null)
      await client.query("select setval($1::regclass, $2::bigint)", [quotedTable(sequence), sequence.value]);
  }
}

/** The content of the tables now, added up by the database. */
async function checkSums(
  client: ClientBase,
  head: BackupHead,
  sums: readonly { table: TableHead; sum: TableEnd }[],
): Promise<void> {
  for (const { table, sum } of sums) {
    const { rows, fingerprint } = await fingerprintOf(client, table);
    if (rows !== sum.rows || fingerprint !== sum.fingerprint)
      throw new BackupProblem(`${tableName(table)} is not what was backed up: nothing was restored.`);
  }
  const recorded = JSON.stringify(await readApplied(client));
  if (recorded !== JSON.stringify(head.migrations))
    throw new BackupProblem("The record of migrations is not that of the backup: it was altered.");
}

/** Rows that PostgreSQL does not take are no rows of ours. */
function translated(error: unknown): unknown {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  return /^(22|23)/.test(code) ? new BackupProblem(`The backup was altered: ${message}`, { cause: error }) : error;
}

/**
 * Finds this program's migrations for the state that a backup was taken in, in the order of the sets.
 * @throws BackupProblem when the program is older than the backup, or has other migrations under the same names.
 */
async function migrationsOf(sets: readonly MigrationSet[], applied: readonly AppliedMigration[]): Promise<Migration[]> {
  const known = await Promise.all(
    sets.map(async ({ name }, at) => ({ name, all: await readMigrations(sets[at] as MigrationSet) })),
  );
  for (const { set, name, number, sha256 } of applied) {
    const ours = known.find((one) => one.name === set)?.all[number - 1];
    if (ours === undefined)
      throw new BackupProblem(
        `The backup has ${set}/${name}, which this program does not know: use the newer one that made it.`,
      );
    if (ours.sha256 !== sha256)
      throw new BackupProblem(
        `${set}/${ours.name} is not what the backup was made with: use the program that made it.`,
      );
  }
  return known.flatMap(({ name, all }) => {
    const own = applied.filter(({ set }) => set === name).map(({ number }) => number);
    if (own.length !== new Set(own).size || Math.max(0, ...own) !== own.length)
      throw new BackupProblem(`The backup leaves out a migration of ${name}: it was altered.`);
    return all.slice(0, own.length);
  });
}

/** Makes the tables of that state. Runs in the caller's transaction. */
async function bringUp(client: ClientBase, migrations: readonly Migration[]): Promise<void> {
  await client.query(RECORD_TABLE);
  for (const { name, up } of migrations) {
    await client.query(up).catch((cause: Error) => {
      throw new BackupProblem(`The migration ${name} failed: ${cause.message}`, { cause });
    });
  }
}

type ForeignKey = {
  readonly schema: string;
  readonly name: string;
  readonly constraint: string;
  readonly definition: string;
};

/**
 * Runs `load` on tables whose triggers do not fire and whose foreign keys are away: rows come as they were, in any order. Afterwards
 * both are as before, and every foreign key has been checked over all rows at once. An owner of the tables may do all this.
 */
async function withoutGuards(
  client: ClientBase,
  tables: readonly TableHead[],
  load: () => Promise<void>,
): Promise<void> {
  const keys = await readForeignKeys(client);
  const before = await readGuards(client);
  for (const key of keys)
    await client.query(`alter table ${quotedTable(key)} drop constraint ${quoted(key.constraint)}`);
  for (const table of tables) await client.query(`alter table ${quotedTable(table)} disable trigger user`);
  await load();
  for (const table of tables) await client.query(`alter table ${quotedTable(table)} enable trigger user`);
  for (const key of keys) await addForeignKey(client, key);
  if ((await readGuards(client)) !== before) throw new BackupProblem("The guards of the tables are not as they were.");
}

async function addForeignKey(client: ClientBase, key: ForeignKey): Promise<void> {
  const { constraint, definition } = key;
  try {
    await client.query(`alter table ${quotedTable(key)} add constraint ${quoted(constraint)} ${definition}`);
  } catch (cause) {
    if ((cause as { code?: string }).code !== "23503") throw cause;
    throw new BackupProblem(
      `The backup was altered: rows of ${key.schema}.${key.name} name others that are not there.`,
      { cause },
    );
  }
}

async function readForeignKeys(client: ClientBase): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(`
    select n.nspname as schema, c.relname as name, k.conname as "constraint", pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    where k.contype = 'f' order by 1, 2, 3`);
  return rows;
}

/** Every trigger with whether it fires, and every constraint: one text to compare. */
async function readGuards(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ guard: string }>(`
    select format('%s %s %s', tgrelid::regclass, tgname, tgenabled) as guard from pg_trigger where not tgisinternal
    union all
    select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint where conrelid <> 0
    order by 1`);
  return rows.map(({ guard }) => guard).join("\n");
}
