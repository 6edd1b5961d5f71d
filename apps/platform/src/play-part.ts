import type { Balance, OpenSession } from "@longarm/contract/notification-socket";
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import type * as z from "zod/mini";
import type { PlatformDeps } from "./deps.ts";
import type { Auth } from "./modules/players/auth/index.ts";
import type { SocketRoutes } from "./plugins/sockets.ts";

/** A machine as the lobby needs it, seen by one player. */
export type MachineView = {
  readonly id: string;
  readonly name: string;
  readonly brand: string;
  /** Status number of the wire. The holder of the seat never sees 2. */
  readonly status: number;
  readonly watchable: boolean;
  /** What one game may cost, minor units; undefined: the machine does not say. */
  readonly stakes?: { readonly min: number; readonly max: number } | undefined;
  /** Jackpots now, largest first, minor units. */
  readonly jackpots: readonly { readonly name: string; readonly amount: number }[];
  /** Kept for a player until then (ISO 8601), perhaps for the asking one. */
  readonly reservation: { readonly mine: boolean; readonly until: string | null } | null;
  /** Changes with every new still; null: there is none. */
  readonly stillTag: string | null;
  /** The seat is kept for the asking player, until then (ISO 8601) when a lease says so. */
  readonly mine: boolean;
  readonly until: string | null;
};

export type MachineStatusNow = {
  readonly machineId: string;
  readonly status: number;
  readonly holderId?: string | undefined;
};

export type Still = { readonly tag: string; readonly webp: Buffer };

/** What the base of the platform asks of seats, play, wallet and agents. */
export interface PlayPart {
  balanceOf(playerId: string): Promise<Balance>;
  /** The `session` notification of the player's open play session; null: none. */
  openSessionOf(playerId: string): Promise<z.output<typeof OpenSession> | null>;
  /** Every enrolled machine, in a steady order; asking also counts as somebody having a lobby open. */
  machinesFor(playerId: string): Promise<readonly MachineView[]>;
  /** The status number of every machine now, and who holds its seat. */
  statuses(): Promise<readonly MachineStatusNow[]>;
  still(machineId: string): Promise<Still | null>;
  /** Recovery and timers begin; called once the server listens. */
  start(): Promise<void>;
  /** Stops timers; called after the sockets are closed and before the database is. */
  close(): Promise<void>;
}

/** What the play part gets of the base. It adds its own routes and sockets while it is made. */
export type Base = {
  readonly app: FastifyInstance;
  readonly auth: Auth;
  readonly sockets: SocketRoutes;
  readonly metrics: Registry;
};

export type MakePlayPart = (deps: PlatformDeps, base: Base) => Promise<PlayPart>;
