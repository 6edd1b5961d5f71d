import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";

/** Clock ticks a second in /proc; Linux has told programs 100 for decades. */
const TICKS_PER_SECOND = 100;

type Cost = { cpuMs: number; residentMb: number };

/** What a process and those that it has started have used so far; null where the system does not tell (there is no /proc). */
export function processCost(pid: number): Cost | null {
  const own = ownCost(pid);
  return own && childrenOf(pid).reduce((sum, child) => addCost(sum, processCost(child)), own);
}

const addCost = (one: Cost, other: Cost | null): Cost => ({
  cpuMs: one.cpuMs + (other?.cpuMs ?? 0),
  residentMb: one.residentMb + (other?.residentMb ?? 0),
});

/** The processes that it has started and that still run. */
export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    return [];
  }
}

function ownCost(pid: number): Cost | null {
  try {
    // The name in brackets may hold blanks; what follows its end is numbers. User and system time are fields 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { cpuMs: (ticks * 1000) / TICKS_PER_SECOND, residentMb: kilobytes / 1024 };
  } catch {
    return null;
  }
}

/** Time that all cores together have worked and could have worked, ms. */
export function computerTime(): { busyMs: number; allMs: number } {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, time) => sum + time.idle, 0);
  const all = times.reduce((sum, { user, nice, sys, idle: rest, irq }) => sum + user + nice + sys + rest + irq, 0);
  return { busyMs: all - idle, allMs: all };
}

/** Share of all cores that was at work between two readings, per cent. */
export function busyShare(from: ReturnType<typeof computerTime>, to: ReturnType<typeof computerTime>): number {
  return to.allMs === from.allMs ? 0 : (100 * (to.busyMs - from.busyMs)) / (to.allMs - from.allMs);
}

export const loadNow = (): string =>
  loadavg()
    .map((load) => load.toFixed(1))
    .join(" ");

/** One line each: the computer, the programs, the sources. */
export function describeRun(browserVersion: string, now: Date): string[] {
  const [first] = cpus();
  return [
    `${cpus().length} cores (${first?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}`,
    `Node ${process.version}, Chromium ${browserVersion} headless without a graphics card, sources ${commit()}`,
    `${now.toISOString().slice(0, 16).replace("T", " ")} UTC`,
  ];
}

function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
    return (
      git("rev-parse", "--short", "HEAD") +
      (git("status", "--porcelain", "--untracked-files=no") === "" ? "" : " with changes")
    );
  } catch {
    return "without a history";
  }
}
