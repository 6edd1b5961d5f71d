import type { Clock } from "../../clock.ts";

const WINDOW_MS = 1_000;

/**
 * Counts the messages of many sockets together, by whoever sends them: an address or an account must not get more by opening more sockets.
 * Answers whether this one is still within `perSecondMax`.
 */
export function createMessageCounts(clock: Clock, perSecondMax: number): (key: string) => boolean {
  const counts = new Map<string, number>();
  let windowStart = clock.now();
  return (key) => {
    const now = clock.now();
    if (now - windowStart >= WINDOW_MS) {
      windowStart = now;
      counts.clear();
    }
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= perSecondMax;
  };
}
