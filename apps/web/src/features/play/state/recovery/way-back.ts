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
  let wasUdp = false;

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
    /** What the connection goes over now: ICE may have left UDP by itself, and a try that ended without it is made again later. */
    goes(udp: boolean): void {
      const tried = triedAt !== undefined && now() - triedAt >= TRIED_MS;
      const lost = wasUdp && triedAt === undefined && !Number.isFinite(dueAt);
      if (!udp && (tried || lost)) wait(tried);
      wasUdp = udp;
    },
    /** The network changed: what was closed may be open. */
    soon(): void {
      if (Number.isFinite(dueAt)) dueAt = now();
    },
    /** A connection with every way open is in use. */
    forget(): void {
      dueAt = Number.POSITIVE_INFINITY;
    },
  };
}
