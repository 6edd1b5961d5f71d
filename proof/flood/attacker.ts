import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/**
 * What is done with a connection that is opened and left. `silent` says nothing; `head` and `body` begin a request and continue with one letter a
 * second, for ever (slow-loris); `idle` is answered once and stays; `deaf` asks and asks and reads no answer; `socket` opens a WebSocket without a
 * token and neither answers nor closes; `refused` requests a socket that does not exist, and continues to send whatever the answer is.
 */
export const KINDS = ["silent", "head", "body", "idle", "deaf", "socket", "refused"] as const;
export type Kind = (typeof KINDS)[number];

/** So many of the loopback addresses are used that no limit by address closes what the proof wants open. */
const ADDRESSES = 40;
const DRIP_MS = 1_000;
const REQUESTS_OF_DEAF = 4;
/** So many begin to talk at a time, with a breath between: the proof is about connections, not about the load of one moment. */
const BEGIN_AT_ONCE = 500;
const BREATH_MS = 100;

const HEAD = "host: localhost\r\nuser-agent: flood\r\n";
const UPGRADE =
  "connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-protocol: protoo\r\n";
const GET = `GET /Settings.json HTTP/1.1\r\n${HEAD}\r\n`;
const FIRST: Readonly<Record<Kind, string>> = {
  silent: "",
  head: `GET / HTTP/1.1\r\n${HEAD}x-more: `,
  body: `POST /v1/login HTTP/1.1\r\n${HEAD}content-type: application/json\r\ncontent-length: 4000\r\n\r\n{"username":"`,
  idle: GET,
  deaf: GET.repeat(REQUESTS_OF_DEAF),
  refused: `GET /no-such-socket HTTP/1.1\r\n${HEAD}${UPGRADE}\r\na few bytes more`,
  socket: `GET /notifications?token=none HTTP/1.1\r\n${HEAD}${UPGRADE}\r\n`,
};

/** They continue to send, one letter at a time. */
const DRIPS: ReadonlySet<Kind> = new Set(["head", "body", "refused"]);

/** The kernel's list may be a moment older than a connection, ms. */
const SEEN_AFTER_MS = 1_000;

export type Counts = Readonly<
  Record<Kind, { readonly opened: number; readonly open: number; readonly endedAfterMs: number }>
>;

/** Connections to one address of 127.0.0.1 by somebody who means no good. */
export class Flood {
  readonly #port: number;
  readonly #opened = new Map<Kind, number>();
  readonly #endedAfterMs = new Map<Kind, number>();
  readonly #open = new Map<Socket, { readonly kind: Kind; readonly since: number; readonly from: string }>();
  #next = 0;
  #drip: NodeJS.Timeout | undefined;

  constructor(portNumber: number) {
    this.#port = portNumber;
  }

  /** Opens one more; settles once it is connected or refused. */
  add(kind: Kind): Promise<void> {
    this.#next += 1;
    // 127.0.0.1 is the honest player's.
    const localAddress = `127.0.0.${2 + (this.#next % ADDRESSES)}`;
    // Node's own client ends with its server: one that means no good leaves its half open.
    const allowHalfOpen = kind === "refused";
    const socket = connect({ port: this.#port, host: "127.0.0.1", localAddress, allowHalfOpen });
    this.#opened.set(kind, (this.#opened.get(kind) ?? 0) + 1);
    if (kind === "deaf" || kind === "socket") socket.pause();
    else socket.resume();
    // What follows the answer is what a server that does not drain never reads.
    if (kind === "refused") socket.once("data", () => socket.write("a few bytes more"));
    return new Promise((done) => {
      socket.once("connect", () => {
        this.#open.set(socket, { kind, since: performance.now(), from: endOf(socket) });
        done();
      });
      socket.on("error", () => {});
      socket.once("close", () => {
        this.#forget(socket);
        done();
      });
    });
  }

  /** Begins to say on each what its kind says. */
  async begin(): Promise<void> {
    const all = [...this.#open];
    while (all.length > 0) {
      for (const [socket, { kind }] of all.splice(0, BEGIN_AT_ONCE)) socket.write(FIRST[kind]);
      await pause(BREATH_MS);
    }
    this.#drip = setInterval(() => {
      for (const [socket, { kind }] of this.#open) if (DRIPS.has(kind)) socket.write("x");
    }, DRIP_MS);
  }

  /** Looks which the platform has ended; answers how many it holds. A connection that reads nothing does not notice the end. */
  look(): number {
    const held = heldBy(this.#port);
    for (const [socket, { from, since }] of this.#open)
      if (!held.has(from) && performance.now() - since > SEEN_AFTER_MS) {
        this.#forget(socket);
        socket.destroy();
      }
    return this.#open.size;
  }

  /** Connections of a kind: how many were opened, how many the platform holds still, and after how long it had ended the last one, ms. */
  counts(): Counts {
    const still = Map.groupBy(this.#open.values(), ({ kind }) => kind);
    const one = (kind: Kind) => ({
      opened: this.#opened.get(kind) ?? 0,
      open: still.get(kind)?.length ?? 0,
      endedAfterMs: Math.round(this.#endedAfterMs.get(kind) ?? 0),
    });
    return Object.fromEntries(KINDS.map((kind) => [kind, one(kind)])) as Counts;
  }

  /** Leaves at once. */
  async end(): Promise<void> {
    clearInterval(this.#drip);
    const left = [...this.#open.keys()].map((socket) => new Promise((gone) => socket.once("close", gone)));
    for (const socket of this.#open.keys()) socket.destroy();
    await Promise.all(left);
  }

  #forget(socket: Socket): void {
    const was = this.#open.get(socket);
    this.#open.delete(socket);
    if (!was) return;
    const tookMs = performance.now() - was.since;
    this.#endedAfterMs.set(was.kind, Math.max(this.#endedAfterMs.get(was.kind) ?? 0, tookMs));
  }
}

const LISTENING = "0A";
/** A connection that no process holds any more has this instead of its file. */
const NO_FILE = "0";

/**
 * The callers' ends of the connections whose files a server of this computer holds: also of those that it has ended and not closed. Source:
 * proc(5), /proc/net/tcp.
 */
function heldBy(portNumber: number): Set<string> {
  const own = `:${hex(portNumber, 4)}`;
  const held = new Set<string>();
  for (const line of readFileSync("/proc/net/tcp", "utf8").split("\n")) {
    const [, local = "", remote = "", state, , , , , , file = NO_FILE] = line.trim().split(/\s+/);
    if (local.endsWith(own) && state !== LISTENING && file !== NO_FILE) held.add(remote);
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
