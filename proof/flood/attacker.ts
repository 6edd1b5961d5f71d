import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/**
 * What is done with a connection that is opened and left. `silent` says nothing; `head` and `body` begin a request and go on with one letter a
 * second, for ever (slow-loris); `idle` is answered once and stays; `deaf` asks and asks and reads no answer; `socket` opens a WebSocket without a
 * token and neither answers nor closes.
 */
export const KINDS = ["silent", "head", "body", "idle", "deaf", "socket"] as const;
export type Kind = (typeof KINDS)[number];

/** So many of the loopback addresses are used that no limit by address closes what the proof wants open. */
const ADDRESSES = 40;
const DRIP_MS = 1_000;
const ASKED_BY_DEAF = 4;
/** So many begin to talk at a time, with a breath between: the proof is about connections, not about the load of one moment. */
const BEGIN_AT_ONCE = 500;
const BREATH_MS = 100;

const HEAD = "host: platform\r\nuser-agent: flood\r\n";
const GET = `GET /Settings.json HTTP/1.1\r\n${HEAD}\r\n`;
const FIRST: Readonly<Record<Kind, string>> = {
  silent: "",
  head: `GET / HTTP/1.1\r\n${HEAD}x-more: `,
  body: `POST /v1/login HTTP/1.1\r\n${HEAD}content-type: application/json\r\ncontent-length: 4000\r\n\r\n{"username":"`,
  idle: GET,
  deaf: GET.repeat(ASKED_BY_DEAF),
  socket: `GET /notifications?token=none HTTP/1.1\r\n${HEAD}connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-protocol: protoo\r\n\r\n`,
};

export type Flood = {
  /** Connections of a kind: how many were opened, how many the platform holds still, and after how long it had ended the last one, ms. */
  counts(): Readonly<Record<Kind, { readonly opened: number; readonly open: number; readonly endedAfterMs: number }>>;
  /** Looks which the platform has ended; answers how many it holds. Who reads nothing does not hear of the end. */
  look(): number;
  /** Opens one more; settles once it is connected or refused. */
  add(kind: Kind): Promise<void>;
  /** Begins to say on each what its kind says. */
  begin(): Promise<void>;
  /** Leaves at once. */
  end(): Promise<void>;
};

/** The kernel's list may be a moment older than a connection, ms. */
const SEEN_AFTER_MS = 1_000;
const ESTABLISHED = "01";

/** The callers' ends of the connections that a server of this computer holds. Source: proc(5), /proc/net/tcp. */
function heldBy(portNumber: number): Set<string> {
  const own = `:${hex(portNumber, 4)}`;
  const held = new Set<string>();
  for (const line of readFileSync("/proc/net/tcp", "utf8").split("\n")) {
    const [, local = "", remote = "", state] = line.trim().split(/\s+/);
    if (local.endsWith(own) && state === ESTABLISHED) held.add(remote);
  }
  return held;
}

/** Our end of a connection as the kernel writes it: the address from its last byte on, and the port. */
function endOf({ localAddress = "", localPort = 0 }: Socket): string {
  const bytes = localAddress
    .split(".")
    .toReversed()
    .map((byte) => hex(Number(byte), 2));
  return `${bytes.join("")}:${hex(localPort, 4)}`;
}

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0");

/** Connections to one address of 127.0.0.1 by somebody who means no good. */
export function startFlood(portNumber: number): Flood {
  const opened = new Map<Kind, number>();
  const ended = new Map<Kind, number>();
  const open = new Map<Socket, { readonly kind: Kind; readonly since: number; readonly from: string }>();
  let next = 0;

  let drip: NodeJS.Timeout | undefined;

  function add(kind: Kind): Promise<void> {
    next += 1;
    const socket = connect({
      port: portNumber,
      host: "127.0.0.1",
      // 127.0.0.1 is the honest player's.
      localAddress: `127.0.0.${2 + (next % ADDRESSES)}`,
    });
    opened.set(kind, (opened.get(kind) ?? 0) + 1);
    if (kind === "deaf" || kind === "socket") socket.pause();
    else socket.resume();
    return new Promise((done) => {
      socket.once("connect", () => {
        open.set(socket, { kind, since: performance.now(), from: endOf(socket) });
        done();
      });
      socket.on("error", () => {});
      socket.once("close", () => {
        forget(socket);
        done();
      });
    });
  }

  function forget(socket: Socket): void {
    const was = open.get(socket);
    open.delete(socket);
    if (was) ended.set(was.kind, Math.max(ended.get(was.kind) ?? 0, performance.now() - was.since));
  }

  return {
    add,
    counts() {
      const still = Map.groupBy(open.values(), ({ kind }) => kind);
      const one = (kind: Kind) => ({
        opened: opened.get(kind) ?? 0,
        open: still.get(kind)?.length ?? 0,
        endedAfterMs: Math.round(ended.get(kind) ?? 0),
      });
      return Object.fromEntries(KINDS.map((kind) => [kind, one(kind)])) as ReturnType<Flood["counts"]>;
    },
    look() {
      const held = heldBy(portNumber);
      for (const [socket, { from, since }] of open)
        if (!held.has(from) && performance.now() - since > SEEN_AFTER_MS) {
          forget(socket);
          socket.destroy();
        }
      return open.size;
    },
    async begin() {
      const all = [...open];
      while (all.length > 0) {
        for (const [socket, { kind }] of all.splice(0, BEGIN_AT_ONCE)) socket.write(FIRST[kind]);
        await pause(BREATH_MS);
      }
      drip = setInterval(() => {
        for (const [socket, { kind }] of open) if (kind === "head" || kind === "body") socket.write("x");
      }, DRIP_MS);
    },
    async end() {
      clearInterval(drip);
      const left = [...open.keys()].map((socket) => new Promise((gone) => socket.once("close", gone)));
      for (const socket of open.keys()) socket.destroy();
      await Promise.all(left);
    },
  };
}
