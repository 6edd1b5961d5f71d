import { createHash } from "node:crypto";
import type { MigrationSet } from "../migrations.ts";
import { readMigrations } from "../migrations.ts";

/** 24 hexadecimal digits that name a database with exactly these migrations. */
export async function fingerprintOf(sets: readonly MigrationSet[]): Promise<string> {
  const fingerprint = createHash("sha256");
  for (const set of sets)
    for (const { sha256 } of await readMigrations(set)) fingerprint.update(`${set.name}:${sha256}\n`);
  return fingerprint.digest("hex").slice(0, 24);
}
