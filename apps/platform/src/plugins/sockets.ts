import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { BEAT, SUBPROTOCOL } from "@longarm/contract/envelope";
import { keepAlive, PING_MS } from "@longarm/link/keep-alive";
import { WebSocketServer } from "ws";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { limitKey } from "./client-address.ts";
import type { OriginAllowed } from "./sockets/check-handshake.ts";
import { checkHandshake } from "./sockets/check-handshake.ts";
import { GuardedSocket } from "./sockets/guarded-socket.ts";
import { createHandshakeLimit } from "./sockets/handshake-limit.ts";
import { createMessageCounts } from "./sockets/message-counts.ts";
import { limitMessages, TOO_MANY_MESSAGES } from "./sockets/message-limit.ts";
import type { Caller, CloseTimes } from "./sockets/open-sockets.ts";
import { createOpenSockets } from "./sockets/open-sockets.ts";
import type { UpgradeRefusal } from "./sockets/refuse-upgrade.ts";
import { refuseUpgrade } from "./sockets/refuse-upgrade.ts";
import type { SocketFacts, SocketRoute, SocketRoutes } from "./sockets/route.ts";

export type { SocketFacts, SocketRoute, SocketRoutes } from "./sockets/route.ts";

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
