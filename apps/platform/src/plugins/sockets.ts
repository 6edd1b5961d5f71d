import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { BEAT, CLOSE, SUBPROTOCOL } from "@longarm/contract/envelope";
import { keepAlive, PING_MS } from "@longarm/link/keep-alive";
import { ANSWERING } from "@longarm/link/ws-socket";
import { WebSocketServer } from "ws";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { limitKey } from "./client-address.ts";
import { createMessageCounts, GuardedSocket } from "./guarded-socket.ts";
import type { UpgradeRefusal } from "./refuse-upgrade.ts";
import { refuseUpgrade } from "./refuse-upgrade.ts";

/** What is known of whoever opens a socket. The query may hold a token: never log it. */
export type SocketFacts = {
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The caller's own address, looking through trusted proxies. */
  readonly address: string;
};

/** Before the handshake: let in with a context for `accept`, or refused with an HTTP status and a sentence. */
export type Admission<Context> =
  | { readonly is: "admitted"; readonly context: Context }
  | { readonly is: "refused"; readonly status: number; readonly sentence: string };

/** One socket path. */
export type SocketRoute<Context = undefined> = {
  /** Exact path, without a query. */
  readonly path: string;
  /** A larger frame closes the socket with 1009. */
  readonly frameBytesMax: number;
  /** More messages in a second close the socket with 1008. */
  readonly messagesPerSecondMax: number;
  /** A page must come from an allowed origin; an agent must not come from a page at all. */
  readonly caller: "page" | "agent";
  /** Decides before the handshake. Absent: everybody is accepted, and may be closed with 4000 afterwards. */
  readonly admit?: (facts: SocketFacts) => Promise<Admission<Context>>;
  /** Gets the open socket. Frames are kept from the first on when it is given to `fromWs` before the next await. */
  readonly accept: (socket: GuardedSocket, facts: SocketFacts, context: Context) => void;
};

/** Where modules add their sockets. */
export interface SocketRoutes {
  add<Context = undefined>(route: SocketRoute<Context>): void;
}

export type SocketOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly originAllowed: OriginAllowed;
  /** The player's own address, looking through trusted proxies. */
  addressOf(request: IncomingMessage): string;
  /** Sockets open at once from one address. */
  readonly perAddressMax: number;
  /** Handshakes a minute from one address, whatever becomes of them. */
  readonly handshakesPerMinute: number;
  /** Messages a second from one address, over all its pages' sockets. */
  readonly messagesPerSecondAddress: number;
  /** Told when a limit is hit: `handshakes`, `sockets`, `messages`. */
  limited?(limit: string, address: string): void;
};

/** All sockets of one HTTP server. */
export type Sockets = SocketRoutes & {
  /** Takes an upgrade of the HTTP server. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Lets nobody in any more, answers what these callers have asked, closes their sockets with 1012 and ends those that do not go in time. */
  close(caller: Caller, times: CloseTimes): Promise<void>;
  readonly open: number;
  /** The same by path; a path without one is there too. */
  openByPath(): ReadonlyMap<string, number>;
};

const NOTHING_HERE: UpgradeRefusal = [404, "There is no socket at this address"];
const RESTARTING: UpgradeRefusal = [503, "The platform is restarting, come back in a moment"];
const TOO_OFTEN: UpgradeRefusal = [429, "Too many sockets were opened from this address, wait a minute"];
const TOO_MANY: UpgradeRefusal = [429, "Too many sockets from this address, close one first"];

/** How long it may take to decide on a handshake, ms: nothing reads the connection meanwhile. */
const HANDSHAKE_MS_MAX = 20_000;

/**
 * Parts of one message that is not finished, and pieces of one frame as they came from the network: each costs far more memory than the byte that
 * it may hold. Browsers and agents send a message in one frame; the most that 64 KiB take is 64 pieces of 1 KiB.
 */
const FRAGMENTS_MAX = 16;
const CHUNKS_MAX = 256;

const BEAT_FRAME = JSON.stringify({ notification: true, method: BEAT, data: { everyMs: PING_MS } });

/** One upgrade router for every socket path: origin, subprotocol, limits, keep-alive and the end are the same for all. */
export function createSockets(options: SocketOptions): Sockets {
  const { clock, log, originAllowed, addressOf, perAddressMax } = options;
  const maySay = createMessageCounts(clock, options.messagesPerSecondAddress);
  const mayKnock = createHandshakeLimit(clock, options.handshakesPerMinute);
  const routes = new Map<string, { route: SocketRoute; server: WebSocketServer }>();
  const open = createOpenSockets(clock);
  let closing = false;

  function accept(socket: GuardedSocket, route: SocketRoute, facts: SocketFacts, context: unknown): void {
    // The listeners hold the address alone: the rest of a handshake weighs kilobytes.
    const { address } = facts;
    open.add(socket, address, route);
    socket.once(TOO_MANY_MESSAGES, () => options.limited?.("messages", address));
    socket.on("error", (error) => log.info({ path: route.path, error: error.message }, "a socket broke"));
    const key = limitKey(address);
    // Agents have a key each, and several may stand behind one address.
    limitMessages(socket, clock, route.messagesPerSecondMax, () => route.caller === "agent" || maySay(key));
    // A page cannot see pings, so it is told.
    keepAlive(socket, { clock, ...(route.caller === "page" && { beside: () => socket.send(BEAT_FRAME) }) });
    route.accept(socket, facts, context as never);
  }

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const address = addressOf(request);
    if (!mayKnock(address)) {
      options.limited?.("handshakes", address);
      return refuse(stream, TOO_OFTEN);
    }
    const target = URL.parse(request.url ?? "", "http://platform");
    const found = target === null ? undefined : routes.get(target.pathname);
    if (target === null || found === undefined) return refuse(stream, NOTHING_HERE);
    const refusal = checkHandshake(request, found.route.caller, originAllowed);
    if (refusal) return refuse(stream, refusal);
    if (open.of(address) >= perAddressMax) {
      options.limited?.("sockets", address);
      return refuse(stream, TOO_MANY);
    }
    const facts: SocketFacts = { query: target.searchParams, headers: request.headers, address };
    const admission = await found.route.admit?.(facts);
    if (admission?.is === "refused") return refuse(stream, [admission.status, admission.sentence]);
    if (closing) return refuse(stream, RESTARTING);
    found.server.handleUpgrade(request, stream, head, (socket) =>
      // Made by the class given to the server.
      accept(socket as GuardedSocket, found.route, facts, admission?.context),
    );
  }

  const refuse = (stream: Duplex, refusal: UpgradeRefusal): void => refuseUpgrade(stream, refusal, clock);

  return {
    add(route) {
      open.expect(route.path);
      routes.set(route.path, { route: route as unknown as SocketRoute, server: serverOf(route) });
    },
    upgrade(request, stream, head) {
      cutWhenUndecided(stream, clock, upgrade(request, stream, head)).catch((error: unknown) => {
        log.error({ err: error }, "an upgrade failed");
        refuse(stream, [500, "The upgrade failed on our side"]);
      });
    },
    async close(caller, times) {
      closing = true;
      await open.closeAll(caller, times);
    },
    get open() {
      return open.size;
    },
    openByPath: open.byPath,
  };
}

/** Until a handshake is decided nothing reads its connection, so a break and the end of its time are noticed here. */
async function cutWhenUndecided(stream: Duplex, clock: Clock, decided: Promise<void>): Promise<void> {
  // A connection that breaks before the handshake is not our fault.
  stream.on("error", () => stream.destroy());
  const stop = clock.after(HANDSHAKE_MS_MAX, () => stream.destroy());
  await decided.finally(stop);
}

function serverOf({ frameBytesMax }: Pick<SocketRoute, "frameBytesMax">): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: frameBytesMax,
    maxFragments: FRAGMENTS_MAX,
    maxBufferedChunks: CHUNKS_MAX,
    handleProtocols: () => SUBPROTOCOL,
    WebSocket: GuardedSocket,
  });
}

/** True when a page of this origin may open sockets; `host` is the Host header of the upgrade. */
type OriginAllowed = (origin: string, host: string) => boolean;

/** What is wrong with a handshake, whatever the socket is for; undefined: nothing. */
function checkHandshake(
  { headers }: IncomingMessage,
  caller: SocketRoute["caller"],
  originAllowed: OriginAllowed,
): UpgradeRefusal | undefined {
  const { origin } = headers;
  // Programs send no origin. An agent that sends one is a page in disguise.
  const fromPage = origin !== undefined;
  if (fromPage && (caller === "agent" || !originAllowed(origin, headers.host ?? "")))
    return [403, "This origin may not open a socket here: name it in ALLOWED_ORIGINS"];
  const offered = headers["sec-websocket-protocol"] ?? "";
  if (!offered.split(",").some((name) => name.trim() === SUBPROTOCOL))
    return [400, `Ask for the subprotocol ${SUBPROTOCOL}`];
  return undefined;
}

const MINUTE_MS = 60_000;
/** Addresses that are remembered; beyond them the count begins anew. */
const REMEMBERED_MAX = 20_000;

/**
 * Counts the handshakes of each address in a minute, before anything else is looked at: every one may cost a look into the database, and
 * the limits of HTTP calls do not see them. Answers whether this one may go on.
 */
function createHandshakeLimit(clock: Clock, perMinute: number): (address: string) => boolean {
  const counts = new Map<string, number>();
  let windowStart = clock.now();
  return (address) => {
    const now = clock.now();
    if (now - windowStart >= MINUTE_MS || counts.size >= REMEMBERED_MAX) {
      windowStart = now;
      counts.clear();
    }
    const key = limitKey(address);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= perMinute;
  };
}

const WINDOW_MS = 1_000;
/** Emitted by a socket that is closed for it. */
const TOO_MANY_MESSAGES = Symbol("too many messages");

/**
 * Closes a socket with 1008 when more than `perSecondMax` messages (or pings, or pongs) come within a second, or when `mayAlso` says that
 * they are too many together with those of others; reads no more of it.
 */
function limitMessages(
  socket: GuardedSocket,
  clock: Clock,
  perSecondMax: number,
  mayAlso: () => boolean = () => true,
): void {
  let windowStart = clock.now();
  let count = 0;
  const counted = () => {
    const now = clock.now();
    if (now - windowStart >= WINDOW_MS) {
      windowStart = now;
      count = 0;
    }
    count += 1;
    const tooMany = !mayAlso() || count > perSecondMax;
    // What still comes until the peer answers our close is counted, and changes nothing.
    if (!tooMany || socket.readyState !== socket.OPEN) return;
    socket.emit(TOO_MANY_MESSAGES);
    socket.closeDeaf(CLOSE.malformed, "too many messages");
  };
  socket.on("message", counted);
  socket.on("ping", counted);
  socket.on("pong", counted);
}

type Caller = SocketRoute["caller"];

/** How long an end may take, ms. */
type CloseTimes = {
  /** Until every request that a socket has open is answered. */
  readonly answerMs: number;
  /** Then: until it has answered our close frame. */
  readonly graceMs: number;
};

type Open = {
  readonly caller: Caller;
  /** Requests of the other end that wait for our answer. */
  answering: number;
  /** Called when the last of them is answered. */
  answered: () => void;
};

/** Sockets that are told to go at the same moment, and how soon the next ones are, ms: 5,000 within a second. */
const GROUP = 100;
const GROUP_EVERY_MS = 20;

/** The sockets that are open now, counted by address. */
function createOpenSockets(clock: Clock) {
  const open = new Map<GuardedSocket, Open>();
  const perAddress = new Map<string, number>();
  const perPath = new Map<string, number>();

  function forget(socket: GuardedSocket, key: string, path: string): void {
    open.delete(socket);
    perPath.set(path, (perPath.get(path) ?? 1) - 1);
    const left = (perAddress.get(key) ?? 1) - 1;
    if (left > 0) perAddress.set(key, left);
    else perAddress.delete(key);
  }

  /** One socket comes to its end: what it asked is answered, and what it says after that is nobody's. */
  function end(socket: GuardedSocket, state: Open, { answerMs, graceMs }: CloseTimes): Promise<void> {
    return new Promise((gone) => {
      let stop = (): void => {};
      const tell = (): void => {
        stop();
        state.answered = () => {};
        stop = clock.after(graceMs, () => socket.terminate());
        socket.closeDeaf(CLOSE.restart, "restart");
      };
      socket.once("close", () => {
        stop();
        gone();
      });
      if (state.answering === 0) return tell();
      state.answered = tell;
      stop = clock.after(answerMs, tell);
    });
  }

  return {
    /** A path that has none yet is told too. */
    expect: (path: string): void => void perPath.set(path, 0),
    add(socket: GuardedSocket, address: string, { caller, path }: Pick<SocketRoute, "caller" | "path">): void {
      const key = limitKey(address);
      const state: Open = { caller, answering: 0, answered: () => {} };
      open.set(socket, state);
      perAddress.set(key, (perAddress.get(key) ?? 0) + 1);
      perPath.set(path, (perPath.get(path) ?? 0) + 1);
      socket.on(ANSWERING, (count: number) => {
        state.answering = count;
        if (count === 0) state.answered();
      });
      socket.once("close", () => forget(socket, key, path));
    },
    /** How many one address holds. */
    of: (address: string): number => perAddress.get(limitKey(address)) ?? 0,
    byPath: (): ReadonlyMap<string, number> => perPath,
    /** Answers what they have asked, tells them to come back later, and cuts those that do not go in time. */
    async closeAll(caller: Caller, times: CloseTimes): Promise<void> {
      const theirs = [...open].filter(([, state]) => state.caller === caller);
      const ends: Promise<void>[] = [];
      for (let first = 0; first < theirs.length; first += GROUP) {
        // Another process has to take them, so they do not all come at once.
        if (first > 0) await new Promise<void>((next) => clock.after(GROUP_EVERY_MS, next));
        ends.push(...theirs.slice(first, first + GROUP).map(([socket, state]) => end(socket, state, times)));
      }
      await Promise.all(ends);
    },
    get size(): number {
      return open.size;
    },
  };
}
