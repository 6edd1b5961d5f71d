import type { Clock } from "./ports/clock.ts";

/** A token bucket: it starts full, and fills at `perSecond` up to `capacity`. */
export interface RateLimit {
  /** Takes `cost` tokens; false, and nothing is taken, when there are fewer. */
  take(cost: number): boolean;
}

/** By default the bucket holds two seconds' worth: after a pause of this process the packets of that pause arrive all at once. */
export function createRateLimit(clock: Clock, perSecond: number, capacity = 2 * perSecond): RateLimit {
  let tokens = capacity;
  let filledAtMs = clock.now();
  return {
    take(cost) {
      const now = clock.now();
      tokens = Math.min(capacity, tokens + (Math.max(0, now - filledAtMs) / 1_000) * perSecond);
      filledAtMs = now;
      if (tokens < cost) return false;
      tokens -= cost;
      return true;
    },
  };
}
