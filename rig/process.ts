import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import type { CDPSession } from "playwright-core";

/** Clock ticks a second in /proc; Linux has reported 100 to programs for decades. */
const TICKS_PER_SECOND = 100;

type Cost = { cpuMs: number; residentMb: number };

/** What a process and those that it has started have used so far; null where the system does not report it (there is no /proc). */
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

/** What a process has used itself; null as of `processCost`. */
export function ownCost(pid: number): Cost | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    return { cpuMs: statCpuMs(`/proc/${pid}/stat`), residentMb: kilobytes / 1024 };
  } catch {
    return null;
  }
}

/** What the threads of one name have used so far in a process, ms. The system knows the first 15 characters of a name. */
export function threadsCpuMs(pid: number, name: string): number {
  const tasks = `/proc/${pid}/task`;
  const named = readdirSync(tasks).filter((task) => readFileSync(`${tasks}/${task}/comm`, "utf8").trim() === name);
  return named.reduce((sum, task) => sum + statCpuMs(`${tasks}/${task}/stat`), 0);
}

/** User and system time of a `stat` in /proc, ms. */
function statCpuMs(path: string): number {
  // The name in brackets may hold blanks; what follows its end is numbers. The times are fields 14 and 15.
  const fields = readFileSync(path, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
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

/** What a page holds once its garbage is gone. */
export type PageHeld = { readonly heapMb: number; readonly nodes: number; readonly listeners: number };
/** What a program and those that it has started hold: memory that is resident, files and sockets that are open. */
export type ProgramHeld = { readonly residentMb: number; readonly files: number };

export async function pageHeld(cdp: CDPSession): Promise<PageHeld> {
  // Twice: what only a finalizer holds goes with the second.
  await cdp.send("HeapProfiler.collectGarbage");
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await cdp.send("Memory.getDOMCounters");
  return { heapMb: usedSize / 2 ** 20, nodes, listeners: jsEventListeners };
}

export function programHeld(pid: number): ProgramHeld {
  return { residentMb: processCost(pid)?.residentMb ?? 0, files: filesOf(pid) };
}

/** An agent's pictures and connections are in the process that its core has started. */
function filesOf(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + filesOf(child), openFiles(pid));
}

function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** What the system holds for a process; Linux reports it in /proc. */
type ProcessHeld = {
  readonly residentMb: number;
  /** Resident and of this process alone: what it shares with others (program text, PostgreSQL's buffers) is not in it. */
  readonly ownMb: number;
  readonly threads: number;
  /** Open files of every kind, sockets included. */
  readonly files: number;
  /** TCP connections that are established. */
  readonly connected: number;
  /** TCP connections that the other end has closed and this one has not: nothing but a forgotten socket stays so. */
  readonly halfClosed: number;
  readonly udp: number;
};

type SocketKind = "connected" | "halfClosed" | "listening" | "udp" | "other";

/** States of a TCP socket in /proc/net/tcp: 01 is established, 08 is CLOSE_WAIT, 0A is listening. */
const TCP_STATES: Readonly<Record<string, SocketKind>> = { "01": "connected", "08": "halfClosed", "0A": "listening" };

/** Null: it has ended. */
export function readProcess(pid: number): ProcessHeld | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const line = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    const kinds = socketKinds(pid);
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => targetOf(pid, fd));
    const sockets = open.map((target) => kinds.get(inodeOf(target)));
    const count = (kind: SocketKind): number => sockets.filter((one) => one?.kind === kind).length;
    return {
      residentMb: line("VmRSS") / 1024,
      ownMb: line("RssAnon") / 1024,
      threads: line("Threads"),
      files: open.length,
      ...{ connected: count("connected"), halfClosed: count("halfClosed"), udp: count("udp") },
    };
  } catch {
    return null;
  }
}

/** The TCP ports at which a process waits for others; none when it has ended. */
export function listeningPorts(pid: number): number[] {
  try {
    const kinds = socketKinds(pid);
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => kinds.get(inodeOf(targetOf(pid, fd))));
    return open.flatMap((one) => (one?.kind === "listening" ? [one.port] : []));
  } catch {
    return [];
  }
}

/** The process below this one that runs a program of this name; undefined: none does now. */
export function processOf(pid: number, program: string): number | undefined {
  return processesBelow(pid).find((one) => commandOf(one).some((word) => word.endsWith(program)));
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** This process and every one below it, by the table of processes. */
export function processesBelow(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)] as const);
  const below = (parent: number): number[] =>
    parents.filter(([, of]) => of === parent).flatMap(([one]) => [one, ...below(one)]);
  return [pid, ...below(pid)];
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? -1);
  } catch {
    return -1;
  }
}

const inodeOf = (target: string): string => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "";

/** By inode. */
function socketKinds(pid: number): Map<string, { readonly kind: SocketKind; readonly port: number }> {
  const kinds = new Map<string, { readonly kind: SocketKind; readonly port: number }>();
  for (const table of ["tcp", "tcp6", "udp", "udp6"] as const) {
    for (const line of tableOf(pid, table).split("\n").slice(1)) {
      const [, local = "", , state = "", , , , , , inode] = line.trim().split(/\s+/);
      if (inode === undefined) continue;
      const port = Number.parseInt(local.split(":").at(-1) ?? "", 16);
      kinds.set(inode, { kind: table.startsWith("udp") ? "udp" : (TCP_STATES[state] ?? "other"), port });
    }
  }
  return kinds;
}

/** Empty where the computer has no such addresses. */
function tableOf(pid: number, table: string): string {
  try {
    return readFileSync(`/proc/${pid}/net/${table}`, "utf8");
  } catch {
    return "";
  }
}

/** A file may be closed while its list is read. */
function targetOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return "";
  }
}
