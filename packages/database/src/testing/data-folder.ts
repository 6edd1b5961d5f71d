import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../clock.ts";
import { openDatabase } from "../connection.ts";
import { startEmbeddedPostgres } from "../embedded-server.ts";
import { silentLog } from "../log.ts";
import type { MigrationSet } from "../migrations.ts";
import { migrate } from "../migrations.ts";
import { fingerprintOf } from "./fingerprint.ts";

export type TemporaryFolder = { readonly folder: string; remove(): Promise<void> };

/**
 * A fresh data folder for tests that start an embedded server (or a whole platform) in it. Others may walk in: as root the
 * server is another user, and a closed folder would send its cluster to /var/lib/longarm, where it would stay.
 */
export async function temporaryDataFolder(): Promise<TemporaryFolder> {
  const folder = await mkdtemp(join(tmpdir(), "longarm-data-"));
  await chmod(folder, 0o711);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * The same with a migrated database in it, whose server must be started with `fast`. The database is made once in a folder for temporary files and
 * then copied, which takes a tenth of the time. All copies have one password.
 */
export async function migratedDataFolder(sets: readonly MigrationSet[]): Promise<TemporaryFolder> {
  const made = join(tmpdir(), `longarm-migrated-${await fingerprintOf(sets)}`);
  if (!existsSync(made)) await makeWhole(made, sets);
  const { folder, remove } = await temporaryDataFolder();
  // As root the files belong to the server's user, whom Node's own copy would not keep.
  await promisify(execFile)("cp", ["-Rp", `${made}/.`, folder]);
  await chmod(folder, 0o711);
  return { folder, remove };
}

/** The folder appears whole or not at all. */
async function makeWhole(made: string, sets: readonly MigrationSet[]): Promise<void> {
  const draft = `${made}.${randomUUID()}`;
  try {
    const server = await startEmbeddedPostgres({ folder: draft, log: silentLog, clock: systemClock, fast: true });
    try {
      const { pool, close } = openDatabase({ url: server.url, maxConnections: 1, log: silentLog });
      await migrate({ pool, sets, log: silentLog }).finally(close);
    } finally {
      await server.stop();
    }
    await rename(draft, made);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Somebody else was first with the same migrations.
    if (!existsSync(made)) throw error;
  }
}
