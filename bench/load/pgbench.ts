import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const DEBIAN_FOLDER = "/usr/lib/postgresql";

export type PgbenchAsk = {
  readonly databaseUrl: string;
  /** One transaction, in pgbench's language. */
  readonly script: string;
  readonly clients: number;
  readonly seconds: number;
};

/** Runs PostgreSQL's own load tool: as many transactions as `clients` connections can make. @throws Error with its words when one fails. */
export async function pgbench({ databaseUrl, script, clients, seconds }: PgbenchAsk): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "longarm-pgbench-"));
  try {
    const file = join(folder, "script.sql");
    await writeFile(file, script);
    const load = ["-c", String(clients), "-j", "2", "-T", String(seconds)];
    const args = ["-n", "-M", "prepared", ...load, "-f", file, databaseUrl];
    const ran = await run(pgbenchPath(), args, { timeout: (seconds + 60) * 1_000 }).catch(toldBy);
    if (/abort|error/i.test(ran.stderr)) throw new Error(ran.stderr.trim().slice(0, 500));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Its own words; the command line has the database's password in it. */
function toldBy(error: Error & { readonly stderr?: string }): { readonly stderr: string } {
  return { stderr: `error: ${error.stderr || error.name}` };
}

/** The one of `LONGARM_PGBENCH`, else the newest of Debian's. @throws Error that says where to get it. */
function pgbenchPath(): string {
  const chosen = process.env["LONGARM_PGBENCH"];
  if (chosen) return chosen;
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const found = versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(DEBIAN_FOLDER, version, "bin/pgbench"))
    .find(existsSync);
  if (found !== undefined) return found;
  throw new Error("pgbench is not here: install Debian's package postgresql, or name it by LONGARM_PGBENCH.");
}
