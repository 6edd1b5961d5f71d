import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import type { Balance } from "@longarm/contract/notification-socket";
import { notificationSocket } from "@longarm/contract/notification-socket";
import { createPeer } from "@longarm/link/peer";
import type { Timers } from "@longarm/link/socket";
import { stayConnected } from "@longarm/link/stay-connected";
import { dialSocket } from "@longarm/link/ws-socket";
import type { Venue } from "./venue.ts";
import { CallRefused, call } from "./venue.ts";

/** A player's name and secrets at a venue. */
export type Account = {
  readonly username: string;
  readonly password: string;
  /** Opens the idle lock, where one is set. */
  readonly pin?: string | undefined;
};

/** A past or running play session of the signed-in player. `net`: what it won or lost, minor units. */
type PlayedSession = { readonly id: string; readonly net: number };

/** A signed-in player. All calls throw `CallRefused` when the venue refuses. */
export type SignedIn = {
  readonly token: string;
  readonly id: string;
  /** What the wallet, the machine and what is being checked hold, minor units. */
  balance(): Promise<Balance>;
  machines(): Promise<readonly LobbyMachine[]>;
  /** The id of the newest play session; null: there was none yet. */
  latestSession(): Promise<string | null>;
  /** The play sessions that began after that one, however many; null: all. Newest first. */
  sessionsAfter(latest: string | null): Promise<readonly PlayedSession[]>;
  signOut(): Promise<void>;
};

/** @throws CallRefused, Error. */
export async function signIn(venue: Venue, account: Account): Promise<SignedIn> {
  const { username, password, pin } = account;
  const answer = await call(venue, "login", { body: { username, password, site_id: venue.siteId } });
  const { token } = answer;
  if (answer.locked === true && pin !== undefined) await call(venue, "unlock", { token, body: { pin } });
  return {
    token,
    id: answer.id ?? idIn(token),
    balance: () => call(venue, "balance", { token }),
    async machines() {
      const list = await call(venue, "allMachines", { token });
      return Array.isArray(list) ? list : list.machines;
    },
    async latestSession() {
      const { rows } = await call(venue, "sessions", { token, query: { limit: 1 } });
      return rows[0]?.id ?? null;
    },
    sessionsAfter: (latest) => sessionsAfter(venue, token, latest),
    signOut: async () => void (await call(venue, "logout", { token }).catch(ignoreRefusal)),
  };
}

async function sessionsAfter(venue: Venue, token: string, latest: string | null): Promise<readonly PlayedSession[]> {
  const found: PlayedSession[] = [];
  let after: string | undefined;
  do {
    const query: object = { limit: PAGE_ROWS, ...(after !== undefined && { after }) };
    const { rows, next } = await call(venue, "sessions", { token, query });
    for (const { id, amount } of rows) {
      if (id === latest) return found;
      found.push({ id, net: amount });
    }
    after = next ?? undefined;
  } while (after !== undefined);
  return found;
}

/** The most that one answer holds. */
const PAGE_ROWS = 500;

/** The id that the token names. */
function idIn(token: string): string {
  const payload: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  const { id } = payload as { id?: unknown };
  if (id === undefined) throw new Error("The venue does not say who signed in.");
  return String(id);
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof CallRefused)) throw error;
}

type NotificationsDeps = {
  readonly timers: Timers;
  readonly random: () => number;
  /** The socket is open and `init` is done; again after each loss. */
  readonly open?: () => void;
  readonly lost?: () => void;
  readonly machine?: (id: string, status: number) => void;
};

const HANDSHAKE_MS = 10_000;

/** A page's notification socket, which comes back by itself. Answers how to close it. */
export function openNotifications(
  venue: Venue,
  { token, id }: { readonly token: string; readonly id: string },
  deps: NotificationsDeps,
): () => void {
  const url = new URL(venue.notifications);
  url.searchParams.set("token", token);
  const connection = stayConnected({
    ...{ timers: deps.timers, random: deps.random },
    open: () =>
      dialSocket({ url: url.href, frameBytesMax: notificationSocket.frameBytesMax, handshakeMs: HANDSHAKE_MS }),
    session(socket, lost) {
      const peer = createPeer({
        ...{ contract: notificationSocket, end: "client", socket, timers: deps.timers, handlers: {} },
        listeners: { machine: (changed) => deps.machine?.(changed.id, changed.status) },
        log: () => {},
        onClose(code, reason) {
          deps.lost?.();
          lost(code, reason);
        },
      });
      void peer.request("init", { id }).then((answer) => {
        if (answer.is === "done") deps.open?.();
      });
    },
  });
  return () => connection.stop();
}
