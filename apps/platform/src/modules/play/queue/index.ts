import type { QueueAnswer } from "@longarm/contract/player-queue";
import type { FastifyInstance } from "fastify";
import type { Auth } from "../../players/auth/index.ts";
import { queueRoutes } from "./player-routes.ts";
import type { QueueParts } from "./queue.ts";
import { Queue } from "./queue.ts";
import { shownTo, waitingAt } from "./shown.ts";
import { Sittings } from "./sittings.ts";
import type { QueueTables } from "./tables.ts";

export { beginTurn, isTurnOver, turnsOf } from "./fair-time.ts";
export { isWaitedFor, placesSeated } from "./line.ts";
export type { QueueMove, QueueRow } from "./staff.ts";
export { moveInQueue, queueAt } from "./staff.ts";
export type { QueueTables } from "./tables.ts";
export { waitingNow } from "./tables.ts";

/** The queues as the rest of the platform uses them. */
export interface Queues {
  /** What a player sees of the own places. */
  of(playerId: string): Promise<QueueAnswer>;
  /** How many players wait for each of these machines. */
  waitingAt(machineIds: readonly string[]): Promise<{ readonly id: string; readonly count: number }[]>;
  /** These players have a page open: their places are kept. */
  seen(playerIds: readonly string[]): Promise<void>;
  /** Staff has changed who waits for a machine, and how. */
  changedAt(machineId: string): Promise<void>;
  start(): void;
  close(): Promise<void>;
}

export function createQueues(
  parts: QueueParts,
  { app, auth }: { readonly app: FastifyInstance; readonly auth: Pick<Auth, "guard"> },
): Queues {
  const { deps } = parts;
  const db = deps.db.withTables<QueueTables>();
  const queue = new Queue(parts);
  const sittings = new Sittings(db, deps.clock);
  const of = (playerId: string) => shownTo({ deps, db, sittings }, playerId);
  queueRoutes(queue, of, app, auth.guard);
  return {
    of,
    waitingAt: (machineIds) => waitingAt(db, machineIds),
    seen: (playerIds) => queue.seen(playerIds),
    changedAt: (machineId) => queue.changedAt(machineId),
    start: () => queue.start(),
    close: () => queue.close(),
  };
}
