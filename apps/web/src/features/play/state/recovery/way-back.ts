/** A connection without UDP tries it again after so long, ms; a try that did not hold doubles it up to the most. */
export const WAY_BACK_MS = 30_000;
export const WAY_BACK_MS_MAX = 300_000;
/** UDP that holds so long has come to stay, ms. */
export const HELD_MS = 60_000;
/** A try has ended by then, ms. */
export const TRIED_MS = 10_000;

export type WayBack = ReturnType<typeof createWayBack>;

/**
 * When a connection that had to leave UDP tries it again: by an ICE restart of the same connection with every address put back, which
 * costs a moment and falls back to TCP by itself where UDP is still closed.
 */
export function createWayBack(now: () => number) {
  let waitMs = WAY_BACK_MS;
  let dueAt = Number.POSITIVE_INFINITY;
  let triedAt: number | undefined;

  function wait(longer: boolean): void {
    waitMs = longer ? Math.min(WAY_BACK_MS_MAX, waitMs * 2) : WAY_BACK_MS;
    dueAt = now() + waitMs;
    triedAt = undefined;
  }

  return {
    /** UDP had to be left (again). */
    left: () => wait(triedAt !== undefined && now() - triedAt < HELD_MS),
    /** Once, when it is time to try. */
    due(): boolean {
      if (now() < dueAt) return false;
      triedAt = now();
      dueAt = Number.POSITIVE_INFINITY;
      return true;
    },
    /** What the connection goes over now; a try that ended without UDP is made again later. */
    goes(udp: boolean): void {
      if (triedAt !== undefined && !udp && now() - triedAt >= TRIED_MS) wait(true);
    },
    /** A connection with every way open is in use. */
    forget(): void {
      dueAt = Number.POSITIVE_INFINITY;
    },
  };
}
