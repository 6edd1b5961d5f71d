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

type SocketKind = "connected" | "halfClosed" | "listening" | "udp" | "other";

/** States of a TCP socket in /proc/net/tcp: 01 stands, 08 is CLOSE_WAIT, 0A waits for others. */
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
