import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

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
