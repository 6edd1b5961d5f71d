// Servers that a killed test left running: they live in groups of their own, but they carry our folder in their environment.
import { readdirSync, readFileSync } from "node:fs";

/** Ends, by its id, every process that was started with `mark` (a path nobody else uses) among its arguments or settings. */
export function endStrays(mark: string): number[] {
  const strays = processIds().filter((pid) => pid !== process.pid && carries(pid, mark));
  return strays.filter(end);
}

/** None where the system does not tell (macOS, Windows). */
function processIds(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isSafeInteger);
  } catch {
    return [];
  }
}

function carries(pid: number, mark: string): boolean {
  return ["environ", "cmdline"].some((file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "utf8").includes(mark);
    } catch {
      return false; // another user's, or gone
    }
  });
}

function end(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
