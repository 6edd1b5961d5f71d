import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether a process with this id exists, ours or another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * When the process began, as text that differs between two processes that had the same id (also across a reboot or a
 * restart of a container, where ids repeat). Undefined when it does not exist or is only a zombie.
 */
export async function processBirth(pid: number): Promise<string | undefined> {
  if (!isAlive(pid)) return undefined;
  if (process.platform === "win32") return "alive";
  if (process.platform !== "linux") {
    const answer = await run("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => undefined);
    return answer?.stdout.trim() || undefined;
  }
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (line === undefined) return undefined;
  // The name in brackets may hold spaces: fields are counted after the last bracket.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return `${boot.trim()}:${fields[19]}`;
}

/** The command line of a process, or an empty text if it cannot be read. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const raw = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return raw.replaceAll("\0", " ");
  }
  const answer = await run("ps", ["-o", "command=", "-p", String(pid)]).catch(() => undefined);
  return answer?.stdout ?? "";
}

/** Processes whose working folder is `folder`; all of PostgreSQL's are in their data folder. Linux only, else empty. */
export async function processesIn(folder: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const found: number[] = [];
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    if ((await readlink(`/proc/${name}/cwd`).catch(() => "")) === folder) found.push(Number(name));
  }
  return found;
}
