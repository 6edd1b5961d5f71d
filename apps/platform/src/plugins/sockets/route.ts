import type { IncomingHttpHeaders } from "node:http";
import type { GuardedSocket } from "./guarded-socket.ts";

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
