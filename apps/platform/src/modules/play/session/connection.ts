import type { FinalReason } from "@longarm/contract/envelope";
import type { gameSocket } from "@longarm/contract/game-socket";
import type { CheckNow, GameRules } from "@longarm/contract/player-protection";
import type { SeatTurn } from "@longarm/contract/player-queue";
import type { Peer } from "@longarm/link/peer";
import type { PlayParts } from "./deps.ts";
import type { AccountOffers } from "./offer-limit.ts";
import type { RoomMember, Rooms } from "./rooms.ts";
import type { ProtectedSeat } from "./seat-rules.ts";
import type { Settler } from "./settle.ts";
import type { Seated } from "./sit.ts";
import type { Viewing } from "./viewing.ts";
import type { Watchers } from "./watchers.ts";

/** The rooms of play, and what the game sockets of this node share. */
export type GameParts = PlayParts & {
  readonly settler: Settler;
  readonly rooms: Rooms;
  /** Spectators, on all nodes. */
  readonly watchers: Watchers;
  /** Delays and watchers, counted for floor and reports. */
  readonly viewing: Viewing;
  /** How often an account may send offers to an agent. */
  readonly offers: Readonly<Record<RoomMember["role"], AccountOffers>>;
  /** Game sockets of holders on this node, by their ids. */
  readonly holders: Map<string, Connection>;
  /** Work that must be over before the platform closes. */
  readonly pending: Set<Promise<unknown>>;
};

/** Whose game socket it is. */
export type Owner = {
  readonly playerId: string;
  /** Whether the idle lock of the owner's sign-in holds now. */
  isLocked(): Promise<boolean>;
  /** Notes that the owner did something. False: the idle lock holds, and nothing new may be begun. */
  act(): Promise<boolean>;
};

export type GamePeer = Peer<typeof gameSocket, "server">;

/** Rules and reality check as one page of a holder has them. */
export interface Protection {
  /** What `init` answers; the page has it from then on. */
  begin(seat: ProtectedSeat): { readonly rules: GameRules; readonly check: CheckNow; readonly turn: SeatTurn };
  /** The page has the answer: follows the seat from now on. */
  start(): void;
}

/** One game socket: what it is to its machine, from `init` to its end. */
export interface Connection extends RoomMember {
  readonly socketId: string;
  readonly playerId: string;
  readonly machineId: string;
  readonly peer: GamePeer;
  /** Whether the idle lock of the player's sign-in holds now. */
  isLocked(): Promise<boolean>;
  /** Notes that the player did something. False: the idle lock holds, and nothing new may be begun. */
  act(): Promise<boolean>;
  role: "player" | "spectator";
  /** The seat it has; a spectator has none. */
  seated: Seated | null;
  /** The play session that a spectator watches. */
  watched: string | null;
  /** A spectator whose video comes from the media server, not from the agent. */
  crowd: boolean;
  /** `init` is on its way: a second one meanwhile would take the seat from the first. */
  joining: boolean;
  /** Rules and reality check of the seat, as this page has them. */
  readonly protection: Protection;
  /** True once `init` was answered well. */
  readonly joined: boolean;
  /** `leave` closes the socket itself, after its answer. */
  leaving: boolean;
  readonly closed: boolean;
  /** An offer goes to the agent: its candidates may follow. */
  offers(): void;
  /** Joins the sockets that receive what happens to the machine. */
  join(): void;
  /** Notifies the page when its machine cannot be reached now: a page that has just joined has received nothing about it. */
  pushAway(): void;
  close(reason: FinalReason): void;
}
