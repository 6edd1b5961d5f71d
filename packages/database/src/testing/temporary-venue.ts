import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { systemClock } from "../clock.ts";
import type { EmbeddedPostgres } from "../embedded-server.ts";
import { startEmbeddedPostgres } from "../embedded-server.ts";
import { silentLog } from "../log.ts";

/** A data folder and a system folder of a test's own, with everything that may be started in them. */
export type TemporaryVenue = {
  readonly folder: string;
  readonly systemFolder: string;
  /** Without fsync by default: a killed process loses nothing by that, only a power cut does. */
  start(how?: { fast: boolean }): Promise<EmbeddedPostgres>;
  /** Starts the server from another process, to be killed. */
  startElsewhere(): Promise<{ owner: ChildProcess; url: string; serverPid: number }>;
  /** Ends what still runs and removes everything. */
  end(): Promise<void>;
};

export async function temporaryVenue(): Promise<TemporaryVenue> {
  const root = await mkdtemp(join(tmpdir(), "longarm-venue-"));
  // As root the server is another user, who walks in from outside.
  await chmod(root, 0o755);
  const folder = join(root, "data");
  const systemFolder = join(root, "system");
  await mkdir(systemFolder);
  const servers: EmbeddedPostgres[] = [];
  const owners: ChildProcess[] = [];

  async function start({ fast } = { fast: true }): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({ folder, systemFolder, log: silentLog, clock: systemClock, fast });
    servers.push(server);
    return server;
  }

  async function startElsewhere() {
    const program = fileURLToPath(new URL("./hold-server.ts", import.meta.url));
    const owner = spawn(process.execPath, [program, folder, systemFolder], { stdio: ["ignore", "pipe", "pipe"] });
    owners.push(owner);
    const line = await firstOutput(owner);
    return { owner, ...(JSON.parse(line) as { url: string; serverPid: number }) };
  }

  async function end(): Promise<void> {
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all(owners.map(killAndWait));
    // What a killed owner left running is found and stopped by a start.
    if (owners.length > 0) await (await start()).stop();
    await rm(root, { recursive: true, force: true });
  }

  return { folder, systemFolder, start, startElsewhere, end };
}

/** Kills with -9 and waits for the end. */
export async function killAndWait(owner: ChildProcess): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  const gone = new Promise((done) => owner.once("exit", done));
  owner.kill("SIGKILL");
  await gone;
}

async function firstOutput(owner: ChildProcess): Promise<string> {
  return await new Promise((done, fail) => {
    let said = "";
    let complaint = "";
    owner.stderr?.on("data", (chunk: Buffer) => {
      complaint += chunk.toString();
    });
    owner.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.endsWith("\n")) done(said);
    });
    owner.once("exit", () => fail(new Error(`ended before it was ready: ${complaint}`)));
  });
}

/** One question to a server. */
export async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const answer = await client.query({ text: sql, rowMode: "array" });
    return answer.rows[0]?.[0];
  } finally {
    await client.end();
  }
}
