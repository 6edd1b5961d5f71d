import { DELAY_BOUNDS_MS } from "@longarm/contract/staff-reports";
import type { Kysely } from "kysely";
import { sql } from "kysely";

/** What was counted at a machine since the last addition. */
export type ViewingSums = {
  readonly machineId: string;
  /** How long spectators watched, ms, all of them added up. */
  readonly watchedMs: number;
  /** The most that watched at once. */
  readonly watchersMost: number;
  /** Reports of the delay in each bucket of `DELAY_BOUNDS_MS`. */
  readonly delays: readonly number[];
};

/** The bucket in which a delay is counted; one beyond all bounds counts in the last. */
export function delayBucket(ms: number): number {
  const at = DELAY_BOUNDS_MS.findIndex((bound) => ms <= bound);
  return at < 0 ? DELAY_BOUNDS_MS.length - 1 : at;
}

/** Adds what was counted to the sums of the present business day, in one statement. */
export async function addViewing(db: Kysely<unknown>, sums: readonly ViewingSums[]): Promise<void> {
  if (sums.length === 0) return;
  const rows = sums.map(({ watchedMs, ...one }) => ({ ...one, watchedMs: Math.round(watchedMs) }));
  // In the order of the machines: two nodes that add at once wait for each other, and never both.
  await sql`select add_viewing("machineId", "watchedMs", "watchersMost", delays) from (
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as new ("machineId" text, "watchedMs" bigint, "watchersMost" integer, delays bigint[]) order by "machineId") new`.execute(
    db,
  );
}

/** How many reports there were, and the bounds that half of them, and 95 of 100, are not above; null: none. */
export function delayOf(
  counts: readonly number[],
): { readonly reports: number; readonly medianMs: number; readonly p95Ms: number } | null {
  const reports = counts.reduce((sum, count) => sum + count, 0);
  if (reports === 0) return null;
  const boundOf = (share: number): number => {
    let below = 0;
    const at = counts.findIndex((count) => {
      below += count;
      return below >= share * reports;
    });
    return DELAY_BOUNDS_MS[at] ?? Math.max(...DELAY_BOUNDS_MS);
  };
  return { reports, medianMs: boundOf(0.5), p95Ms: boundOf(0.95) };
}
