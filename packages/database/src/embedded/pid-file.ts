import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { commandLine, isAlive, processesStandingIn } from "./process-table.ts";
import type { ServerDoors } from "./server-doors.ts";

/** What a running server writes about itself in `postmaster.pid`. */
export type PidFile = ServerDoors & { readonly pid: number; readonly isReady: boolean };

/** Reads the text of `postmaster.pid`; a half-written one gives undefined. */
export function parsePidFile(text: string): PidFile | undefined {
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const socketFolder = lines[4]?.trim() || undefined;
  return { pid, portNumber: Number(lines[3] ?? 0), socketFolder, isReady: lines[7]?.trim() === "ready" };
}

const pathOf = (data: string) => join(data, "postmaster.pid");

export async function readPidFile(data: string): Promise<PidFile | undefined> {
  return parsePidFile(await readFile(pathOf(data), "utf8").catch(() => ""));
}

/** The server that an owner killed with -9 left behind in this data folder, if it lives. */
export async function findOrphan(data: string): Promise<number | undefined> {
  const file = await readPidFile(data);
  if (file && (await commandLine(file.pid)).includes(data)) return file.pid;
  if (process.platform !== "linux" || (await processesStandingIn(data)).length > 0) return undefined;
  await forgetSockets(data);
  // Garbled (a full disk), or its id belongs to a process that has nothing to do with this cluster: PostgreSQL would refuse to start for ever.
  if (!file || isAlive(file.pid)) await rm(pathOf(data), { force: true });
  return undefined;
}

/** The socket file of a server and its lock, which holds the same process id as `postmaster.pid`. */
const socketFile = /^\.s\.PGSQL\.\d+(\.lock)?$/;

/**
 * A server that was killed leaves both behind, and the next one may have another port. Its id may be another process' by now, or a zombie's, and
 * then PostgreSQL would refuse that port for ever.
 */
async function forgetSockets(data: string): Promise<void> {
  for (const name of await readdir(data).catch(() => []))
    if (socketFile.test(name)) await rm(join(data, name), { force: true });
}
