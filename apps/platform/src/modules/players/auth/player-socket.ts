import { CLOSE, TOKEN_SUBPROTOCOL } from "@longarm/contract/envelope";
import type { FrameSocket } from "@longarm/link/socket";
import { fromWs } from "@longarm/link/ws-socket";
import type { Clock } from "../../../clock.ts";
import type { Log } from "../../../log.ts";
import type { GuardedSocket } from "../../../plugins/guarded-socket.ts";
import { createMessageCounts } from "../../../plugins/guarded-socket.ts";
import type { SocketFacts, SocketRoutes } from "../../../plugins/sockets.ts";
import type { Auth } from "./auth.ts";
import type { Caller } from "./guard.ts";

/** An account may send so many times what one socket may, however many it has open. */
const ACCOUNT_SHARE = 3;
/** Sockets of one path that a player may have open: tabs, devices, and those that a lost link has left for a while. */
export const SOCKETS_PER_PLAYER_MAX = 20;

export type PlayerSocket = {
  readonly path: string;
  readonly frameBytesMax: number;
  readonly messagesPerSecondMax: number;
  /** Gets a signed-in player's socket. Frames that came meanwhile are kept for it. */
  readonly open: (socket: FrameSocket, caller: Caller, facts: SocketFacts) => void;
};

/**
 * Adds a socket whose token is offered as a subprotocol, or in the query (`?token=`). It is accepted first and then closed with 4000 "bad token" or
 * "banned" when the token is not good, because a page cannot read the answer of a refused handshake. It is closed with 4000
 * when the sign-in ends, and with 1013 when the player has too many, so that one player cannot use up what an address may have.
 */
export function addPlayerSocket(
  sockets: SocketRoutes,
  auth: Auth,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  { open, ...route }: PlayerSocket,
): void {
  const perPlayer = new Map<string, number>();
  const maySay = createMessageCounts(clock, ACCOUNT_SHARE * route.messagesPerSecondMax);
  const count = (playerId: string, more: 1 | -1): void => {
    const now = (perPlayer.get(playerId) ?? 0) + more;
    if (now === 0) perPlayer.delete(playerId);
    else perPlayer.set(playerId, now);
  };
  /** Lets a signed-in player listen. Of its own, so that an open socket holds on to nothing of its handshake. */
  function admit(socket: GuardedSocket, caller: Caller): boolean {
    const { playerId } = caller;
    if ((perPlayer.get(playerId) ?? 0) >= SOCKETS_PER_PLAYER_MAX) {
      socket.close(CLOSE.later, "too many sockets of one player, close another tab");
      return false;
    }
    count(playerId, 1);
    socket.once("close", () => count(playerId, -1));
    socket.once(
      "close",
      auth.whileSignedIn(caller, (reason) => socket.close(CLOSE.final, reason)),
    );
    socket.on("message", () => {
      if (!maySay(playerId)) socket.closeDeaf(CLOSE.malformed, "too many messages of one player");
    });
    return true;
  }
  sockets.add({
    ...route,
    caller: "page",
    accept(socket, facts) {
      const frames = fromWs(socket);
      const refuse = (reason: string) => socket.close(CLOSE.final, reason);
      // An address that may not sign in may not keep a socket either; signing in again shows the reason.
      if (auth.keepsOut({ clientAddress: facts.address, headers: facts.headers })) return refuse("bad token");
      auth
        .authenticate(tokenIn(facts))
        .then((answer) => {
          if (answer.is === "refused") return refuse(answer.problem.name === "auth.banned" ? "banned" : "bad token");
          if (socket.readyState === socket.OPEN && admit(socket, answer)) open(frames, answer, facts);
        })
        .catch((error: unknown) => {
          log.error({ err: error, path: route.path }, "a socket could not be opened");
          socket.close(CLOSE.later, "try again");
        });
    },
  });
}

/** A token that came in the header counts, whatever is in the address. */
function tokenIn({ headers, query }: SocketFacts): string {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const found = offered.find((name) => name.startsWith(TOKEN_SUBPROTOCOL));
  return found?.slice(TOKEN_SUBPROTOCOL.length) ?? query.get("token") ?? "";
}
