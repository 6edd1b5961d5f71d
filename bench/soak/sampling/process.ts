import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What the system holds for a process; Linux tells it in /proc. */
export type ProcessHeld = {
  readonly residentMb: number;
  /** Resident and of this process alone: what it shares with others (program text, PostgreSQL's buffers) is not in it. */
  readonly ownMb: number;
  readonly threads: number;
  /** Open files of every kind, sockets included. */
  readonly files: number;
  /** TCP connections that stand. */
  readonly connected: number;
  /** TCP connections that the other end has closed and this one has not: nothing but a forgotten socket stays so. */
  readonly halfClosed: number;
  readonly udp: number;
};

type SocketKind = "connected" | "halfClosed" | "udp" | "other";

/** States of a TCP socket in /proc/net/tcp: 01 stands, 08 is CLOSE_WAIT. */
const TCP_STATES: Readonly<Record<string, SocketKind>> = { "01": "connected", "08": "halfClosed" };

/** Null: it has ended. */
export function readProcess(pid: number): ProcessHeld | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const line = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    const kinds = socketKinds(pid);
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => targetOf(pid, fd));
    const sockets = open.map((target) => kinds.get(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? ""));
    const count = (kind: SocketKind): number => sockets.filter((one) => one === kind).length;
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

/** By inode. */
function socketKinds(pid: number): Map<string, SocketKind> {
  const kinds = new Map<string, SocketKind>();
  for (const table of ["tcp", "tcp6", "udp", "udp6"] as const) {
    for (const line of tableOf(pid, table).split("\n").slice(1)) {
      const [, , , state = "", , , , , , inode] = line.trim().split(/\s+/);
      if (inode === undefined) continue;
      kinds.set(inode, table.startsWith("udp") ? "udp" : (TCP_STATES[state] ?? "other"));
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
