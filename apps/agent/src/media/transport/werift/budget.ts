import type { Clock } from "../../../ports/clock.ts";

/** What may be spent in a second, with a second more saved up: after a pause of ours a browser's packets come all at once. */
export function createBudget(clock: Clock, perSecond: number): { take(cost: number): boolean } {
  const most = 2 * perSecond;
  let left = most;
  let filledAtMs = clock.now();
  return {
    /** False: it is spent, and nothing was taken. */
    take(cost) {
      const now = clock.now();
      left = Math.min(most, left + (Math.max(0, now - filledAtMs) / 1_000) * perSecond);
      filledAtMs = now;
      if (cost > left) return false;
      left -= cost;
      return true;
    },
  };
}
