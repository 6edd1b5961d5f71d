import type { ClientBase } from "pg";
import type { Migration, MigrationSet } from "../migration-files.ts";
import { readMigrations } from "../migration-files.ts";
import { RECORD_TABLE } from "../migrations.ts";
import type { AppliedMigration } from "./format.ts";
import { BackupProblem } from "./format.ts";

/**
 * Finds this program's migrations for the state that a backup was taken in, in the order of the sets.
 * @throws BackupProblem when the program is older than the backup, or has other migrations under the same names.
 */
export async function migrationsOf(
  sets: readonly MigrationSet[],
  applied: readonly AppliedMigration[],
): Promise<Migration[]> {
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
export async function bringUp(client: ClientBase, migrations: readonly Migration[]): Promise<void> {
  await client.query(RECORD_TABLE);
  for (const { name, up } of migrations) {
    await client.query(up).catch((cause: Error) => {
      throw new BackupProblem(`The migration ${name} failed: ${cause.message}`, { cause });
    });
  }
}
