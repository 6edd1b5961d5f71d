import type { QueueAnswer } from "@longarm/contract/player-queue";
import type { FastifyInstance } from "fastify";
import type { Auth } from "../../players/auth/index.ts";
import { queueRoutes } from "./player-routes.ts";
import type { QueueParts } from "./queue.ts";
import { Queue } from "./queue.ts";
import { Outlooks, shownTo, waitingAt } from "./shown.ts";
import { Sittings } from "./sittings.ts";
import type { QueueTables, WaitingNow } from "./tables.ts";

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
  /** Who waits for each of these machines. */
  waitingAt(machineIds: readonly string[]): Promise<(WaitingNow & { readonly id: string })[]>;
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
  const shown = { deps, db, sittings };
  const of = (playerId: string) => shownTo(shown, playerId);
  const outlooks = new Outlooks(shown, deps.clock);
  queueRoutes(queue, { shown: of, outlook: (wishes) => outlooks.of(wishes) }, app, auth.guard);
  return {
    of,
    waitingAt: (machineIds) => waitingAt(db, machineIds),
    seen: (playerIds) => queue.seen(playerIds),
    changedAt: (machineId) => queue.changedAt(machineId),
    start: () => queue.start(),
    close: () => queue.close(),
  };
}
