import type { Clock } from "../ports/clock.ts";

/** So much at once, and so much more with each second. */
export interface Budget {
  /** False when it is spent. */
  take(amount: number): boolean;
}

export function createBudget(clock: Clock, most: number, perSecond: number): Budget {
  let left = most;
  let filledAt = clock.now();
  return {
    take(amount) {
      const now = clock.now();
      left = Math.min(most, left + (Math.max(0, now - filledAt) / 1_000) * perSecond);
      filledAt = now;
      if (left < amount) return false;
      left -= amount;
      return true;
    },
  };
}
