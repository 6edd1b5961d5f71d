/** Whether a key may act now; a yes is remembered. The first press counts, those that follow too soon do nothing. */
export type Throttle = (key: string) => boolean;

/** Keys act at most once in `leastMs`, each by itself (`throttleMs` of the settings). */
export function createThrottle(clock: { now(): number }, leastMs: number): Throttle {
  const actedAt = new Map<string, number>();
  return (key) => {
    const now = clock.now();
    const before = actedAt.get(key);
    // A clock that was set back must not hold a key.
    if (before !== undefined && now >= before && now - before < leastMs) return false;
    actedAt.set(key, now);
    return true;
  };
}
