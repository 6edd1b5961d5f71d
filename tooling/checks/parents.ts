import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/**
 * Every process of this computer with the one that started it. On Linux from its own table: a small computer has no `ps`,
 * while macOS always has it.
 */
export function parentsOfProcesses(): Map<number, number> {
  if (process.platform !== "linux") return new Map(rowsOfPs());
  const ids = readdirSync("/proc").map(Number).filter(Number.isSafeInteger);
  return new Map(ids.flatMap(rowOfLinux));
}

/** None when it ended meanwhile. */
function rowOfLinux(pid: number): [number, number][] {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold spaces: fields count from behind the last bracket.
    const [, parent] = line.slice(line.lastIndexOf(")") + 2).split(" ");
    return [[pid, Number(parent)]];
  } catch {
    return [];
  }
}

function rowsOfPs(): [number, number][] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  return table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
}
