import { setTimeout as sleep } from "node:timers/promises";
import type { QueryExecutorProvider } from "kysely";
import { sql } from "kysely";

/** Time as an argument: `now` in milliseconds since 1970. */
export interface Clock {
  now(): number;
}

/** The clock of this computer. */
export const systemClock: Clock = { now: () => Date.now() };

/** Now, by the database's clock: the same for all nodes. */
export async function databaseTime(db: QueryExecutorProvider): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("The database gave no time.");
  return row.now;
}

const PAUSE_MS = 20;

/** Calls `probe` until it returns something other than undefined, or `limitMs` have passed: then undefined. */
export async function pollUntil<T>(
  clock: Clock,
  limitMs: number,
  probe: () => T | undefined | Promise<T | undefined>,
  pauseMs = PAUSE_MS,
): Promise<T | undefined> {
  const deadline = clock.now() + limitMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (clock.now() >= deadline) return undefined;
    await sleep(pauseMs);
  }
}
