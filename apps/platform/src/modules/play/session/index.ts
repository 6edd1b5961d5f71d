import { gameSocket } from "@longarm/contract/game-socket";
import type { FastifyInstance } from "fastify";
import type { SocketRoutes } from "../../../plugins/sockets.ts";
import type { Auth, Caller } from "../../players/auth/index.ts";
import { addPlayerSocket } from "../../players/auth/index.ts";
import type { AgentSink } from "../agents/index.ts";
import type { EndReason } from "../seat/index.ts";
import { decidedLately, markUnknownOf } from "../wallet/index.ts";
import { createAgentSink } from "./agent-events.ts";
import type { GameParts, Owner } from "./connection.ts";
import type { PlayParts } from "./deps.ts";
import type { Ended, EndedAt } from "./end-session.ts";
import { endSessionAt, endSessionsOf } from "./end-session.ts";
import { openGameSocket } from "./game-socket.ts";
import type { ConfirmHandPay } from "./hand-pay.ts";
import { confirmHandPay } from "./hand-pay.ts";
import { releaseLostHolders } from "./holder.ts";
import { AccountOffers, PLAYER_OFFERS, SPECTATOR_OFFERS } from "./offer-limit.ts";
import { playerRoutes } from "./player-routes.ts";
import { Rooms } from "./rooms.ts";
import { Settler } from "./settle.ts";
import { Viewing } from "./viewing.ts";
import { machinesFor, openSessionOf, statusesNow } from "./views.ts";
import { Watchers } from "./watchers.ts";
import { Work } from "./work.ts";

/** Play sessions: the game socket, what runs out and what must be brought to its end. */
export interface PlaySessions {
  readonly sink: AgentSink;
  openSessionOf(playerId: string): ReturnType<typeof openSessionOf>;
  /** Every machine as the player's lobby shows it. Reading it keeps the stills of the lobby fresh. */
  machinesFor(playerId: string): ReturnType<typeof machinesFor>;
  statuses(): ReturnType<typeof statusesNow>;
  /** Ends every play session of a player: a game that runs is completed first, all credits go back to the wallet. */
  endSessionsOf(playerId: string, reason: EndReason): Promise<EndedAt[]>;
  /** The same for the play session at a machine; null: none runs there, or another one than `playSessionId`. */
  endSessionAt(machineId: string, reason: EndReason, playSessionId?: string): Promise<Ended | null>;
  confirmHandPay(command: ConfirmHandPay): ReturnType<typeof confirmHandPay>;
  /** Places to watch. */
  readonly watchers: Pick<Watchers, "admit" | "leave">;
  /** Takes stock of what a former life of this node left; before anybody can connect. */
  recover(): Promise<void>;
  /** Begins to work. */
  start(): void;
  close(): Promise<void>;
}

export type { Ended, EndedAt } from "./end-session.ts";
export { type HandPayPaid, payHandPay } from "./hand-pay.ts";
export { mintIceServers, type TurnServers } from "./init.ts";
export { AccountOffers, CandidateCount, createOfferLimit } from "./offer-limit.ts";
export { newestDelay, pictureReports } from "./viewing.ts";
export type { MachineStatusNow, MachineView } from "./views.ts";

/** A press a few times a second, candidates at the start, a money command now and then. */
const MESSAGES_PER_SECOND = 60;

export type PlayBase = { readonly app: FastifyInstance; readonly auth: Auth; readonly sockets: SocketRoutes };

/** Adds the game socket and the routes of play. */
export function createPlaySessions(parts: PlayParts, { app, auth, sockets }: PlayBase): PlaySessions {
  const { deps, agents, wallet } = parts;
  const viewing = new Viewing(deps);
  const watchers = new Watchers(deps, viewing);
  const game: GameParts = {
    ...parts,
    settler: new Settler(parts),
    rooms: new Rooms(deps, {
      countOf: (machineId) => watchers.count(machineId),
      async metersOf(machineId) {
        const answer = await agents.request("egm.meters", { machineId });
        return answer.is === "done" ? answer.data.meters : undefined;
      },
      decidedOf: (machineId) => decidedLately(deps.db, machineId),
    }),
    watchers,
    viewing,
    offers: offersOf(deps),
    holders: new Map(),
    pending: new Set(),
  };
  const work = new Work(game);
  playerRoutes(game, app, auth);
  addPlayerSocket(sockets, auth, deps, {
    path: "/game",
    frameBytesMax: gameSocket.frameBytesMax,
    messagesPerSecondMax: MESSAGES_PER_SECOND,
    open: (socket, caller, { query }) => openGameSocket(game, socket, ownerOf(auth, caller), query.get("machine")),
  });

  // Signing out only closes the sockets, and the seat waits; a ban ends the play session, and its credits go home.
  const unsubscribe = deps.bus.subscribe("auth.ended", ({ playerId, reason }) => {
    if (reason !== "banned" || playerId === undefined) return;
    endSessionsOf(game, playerId, "banned").catch((error: unknown) =>
      deps.log.error(
        { err: error, playerId },
        "the play session of a banned player did not end at once; its time ends it",
      ),
    );
  });

  return {
    sink: createAgentSink(game, work),
    openSessionOf: (playerId) => openSessionOf(parts, playerId),
    async machinesFor(playerId) {
      agents.lobbyOpened();
      return await machinesFor(parts, playerId);
    },
    statuses: () => statusesNow(parts),
    confirmHandPay: (command) => confirmHandPay(parts, command),
    watchers,
    endSessionsOf: (playerId, reason) => endSessionsOf(game, playerId, reason),
    endSessionAt: (machineId, reason, playSessionId) => endSessionAt(game, machineId, reason, playSessionId),
    async recover() {
      await agents.forgetOldLinks();
      await releaseLostHolders(parts, "ofThisNode");
      await watchers.forgetNodes([deps.config.play.NODE_ID]);
      await markUnknownOf(wallet, [deps.config.play.NODE_ID]);
      await work.noticeLostAgents();
    },
    start: () => work.start(),
    async close() {
      unsubscribe();
      work.close();
      game.rooms.close();
      while (game.pending.size > 0) await Promise.allSettled([...game.pending]);
      await viewing.close();
    },
  };
}

const offersOf = ({ clock }: PlayParts["deps"]): GameParts["offers"] => ({
  player: new AccountOffers(clock, PLAYER_OFFERS),
  spectator: new AccountOffers(clock, SPECTATOR_OFFERS),
});

function ownerOf(auth: Auth, caller: Caller): Owner {
  return { playerId: caller.playerId, isLocked: () => auth.isLocked(caller), act: () => auth.act(caller) };
}
