import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { systemClock } from "./clock.ts";
import type { EmbeddedPostgres } from "./embedded-server.ts";
import { startEmbeddedPostgres } from "./embedded-server.ts";
import { silentLog } from "./log.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of the run's own PostgreSQL server; see `testDatabase`. */
    longarmTestServer: string;
  }
}

const PREFIX = "longarm-test-database-";

/**
 * Vitest global setup: one embedded server for the whole run, in a fresh temporary folder, without fsync. Runs that share
 * this computer do not meet. Name it in `globalSetup` of the projects whose tests call `testDatabase`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await sweepKilledRuns();
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  // As root the server runs as another user, who must be able to walk in.
  await chmod(folder, 0o711);
  const server = await start(folder);
  project.provide("longarmTestServer", server.url);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function start(folder: string): Promise<EmbeddedPostgres> {
  return await startEmbeddedPostgres({ folder, log: silentLog, clock: systemClock, fast: true });
}

/** A run killed with -9 leaves its server and folder; the folder of a living run refuses to start and stays. */
async function sweepKilledRuns(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    // Without an owner's mark it may be a run that is just beginning.
    const marks = await readdir(join(folder, "postgresql")).catch(() => []);
    if (!marks.some((mark) => mark.startsWith("owner."))) continue;
    const left = await start(folder).catch(() => undefined);
    if (!left) continue;
    await left.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
