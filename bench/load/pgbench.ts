import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findTool } from "../../tooling/finders/find-tool.ts";

const run = promisify(execFile);

export type PgbenchAsk = {
  readonly databaseUrl: string;
  /** One transaction, in pgbench's language. */
  readonly script: string;
  readonly clients: number;
  readonly seconds: number;
};

/** PostgreSQL's own load tool: as many transactions as `clients` connections can make. @throws Advice where it cannot be had. */
export async function findPgbench(say: (line: string) => void) {
  const { executablePath, env } = await findTool("pgbench", { say });
  /** @throws Error with its words when a transaction fails. */
  return async ({ databaseUrl, script, clients, seconds }: PgbenchAsk): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), "longarm-pgbench-"));
    try {
      const file = join(folder, "script.sql");
      await writeFile(file, script);
      const load = ["-c", String(clients), "-j", "2", "-T", String(seconds)];
      const args = ["-n", "-M", "prepared", ...load, "-f", file, databaseUrl];
      const options = { timeout: (seconds + 60) * 1_000, env: { ...process.env, ...env } };
      const ran = await run(executablePath, args, options).catch(toldBy);
      if (/abort|error/i.test(ran.stderr)) throw new Error(ran.stderr.trim().slice(0, 500));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** Its own words; the command line has the database's password in it. */
function toldBy(error: Error & { readonly stderr?: string }): { readonly stderr: string } {
  return { stderr: `error: ${error.stderr || error.name}` };
}
