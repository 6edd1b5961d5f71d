import type { MachineCard } from "@longarm/contract/lobby-lists";
import { cardOf, MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { sql } from "kysely";
import type * as z from "zod/mini";
import { FIRST_STILL, stillTag } from "../agents/index.ts";
import type { QueueTables } from "../queue/index.ts";
import { waitingNow } from "../queue/index.ts";
import {
  isClosed,
  isInService,
  isReachable,
  machineStatus,
  reservedFor,
  reservedUntil,
  rowOfState,
} from "../seat/index.ts";
import type { PlayParts } from "./deps.ts";

/** A machine as the lobby needs it, seen by one player. */
export type MachineView = MachineCard & {
  readonly id: string;
  readonly name: string;
  readonly brand: string;
  /** Status number of the wire. The holder of the seat never sees 2. */
  readonly status: number;
  readonly watchable: boolean;
  /** How many players wait for it; undefined: there are no queues. */
  readonly waiting: number | undefined;
  /** It is kept for one of them. */
  readonly called: boolean;
  /** Money worth of one credit, minor units. */
  readonly denomination: number;
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

/** The `session` notification of a player's open play session. */
export async function openSessionOf(
  { deps }: PlayParts,
  playerId: string,
): Promise<z.output<typeof OpenSession> | null> {
  const row = await deps.db
    .selectFrom("seat as s")
    .innerJoin("machine as m", "m.id", "s.machine_id")
    .leftJoin("play_session as p", "p.id", "s.play_session_id")
    .select(["s.machine_id", "s.state", "s.due_at", "m.facts", "p.started_at", "p.games"])
    .where("s.player_id", "=", playerId)
    .executeTakeFirst();
  if (!row) return null;
  const { session } = rowOfState(row.state);
  // Other states have times too, but those call for staff or try again: no seat is given up by them.
  return {
    ...{ status: true, id: row.machine_id, name: row.facts.name, machine_status: session ?? "unknown" },
    ...(row.state === "waiting" && row.due_at !== null && { until: row.due_at.toISOString() }),
    ...(row.started_at !== null && { started_at: row.started_at.toISOString() }),
    ...(row.games !== null && { spin_count: row.games }),
  };
}

/** Every machine in service as its row and its seat say, in a steady order. */
async function floorNow({ deps }: PlayParts) {
  return await deps.db
    .selectFrom("machine as m")
    .innerJoin("seat as s", "s.machine_id", "m.id")
    .select([
      "m.id",
      "m.facts",
      "m.meters",
      "m.jackpots",
      "m.watchable",
      "s.state",
      "s.player_id",
      "s.due_at",
      sql<boolean>`s.holder_socket is not null`.as("holder"),
      isReachable().as("agent"),
      stillTag().as("still"),
      isClosed().as("closed"),
      reservedFor().as("reservedFor"),
      reservedUntil().as("reservedUntil"),
    ])
    .where(isInService())
    .orderBy("m.id")
    .execute();
}

/** The status of every machine as everybody but its holder sees it, and who the holder is. */
export async function statusesNow(parts: PlayParts): Promise<MachineStatusNow[]> {
  return (await floorNow(parts)).map((row) => ({
    machineId: row.id,
    status: machineStatus(row),
    ...(row.player_id !== null && { holderId: row.player_id }),
  }));
}

/** Every machine as one player sees it, in a steady order. The holder never sees status 2. */
export async function machinesFor(parts: PlayParts, playerId: string): Promise<MachineView[]> {
  const { db, config } = parts.deps;
  const queues = config.play.QUEUE_PLACES > 0 ? await waitingNow(db.withTables<QueueTables>()) : undefined;
  return (await floorNow(parts)).map((row) => {
    const mine = row.player_id === playerId;
    const status = machineStatus(row);
    return {
      id: row.id,
      name: row.facts.name,
      brand: row.facts.brand,
      status: mine && status === MACHINE_STATUS.waiting ? MACHINE_STATUS.playing : status,
      watchable: row.watchable && parts.deps.config.play.SPECTATORS_MAX > 0,
      waiting: queues && (queues.get(row.id)?.count ?? 0),
      called: queues?.get(row.id)?.called ?? false,
      jackpots: row.jackpots,
      denomination: row.facts.denomination,
      ...cardOf(row.facts),
      reservation:
        status === MACHINE_STATUS.reserved
          ? { mine: row.reservedFor === playerId, until: row.reservedUntil?.toISOString() ?? null }
          : null,
      stillTag: row.still ?? (row.agent ? FIRST_STILL : null),
      mine,
      until:
        mine && rowOfState(row.state).status === MACHINE_STATUS.waiting ? (row.due_at?.toISOString() ?? null) : null,
    };
  });
}
