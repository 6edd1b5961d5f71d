/** How far back a wall-clock stamp is believed, ms; a wrong clock in the driver is not. */
const AGE_MS_MAX = 2_000;
/** The clocks of a camera and of this computer drift apart by less than this, ms a picture. */
const DRIFT_MS = 0.01;

export interface CaptureTimes {
  /** When a picture with this stamp was taken, on the agent's clock; grows with every call. `null`: it carries no stamp. */
  of(stampMs: number | null): number;
  /** Extra transit time of the last frame over the fastest one, ms; growth means upstream queueing. */
  behindMs(): number;
}

/**
 * Turns an input's stamps into times of the agent's clock. A stamp of this computer's wall clock tells its age; a count from some
 * beginning is laid so that the quickest picture seen took no time at all.
 */
export function createCaptureTimes(stamps: "wall" | "stream", now: () => number, wallNow: () => number): CaptureTimes {
  let offset = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let lastStamp = Number.NEGATIVE_INFINITY;
  let behind = 0;

  const taken = (stampMs: number | null, arrivedAtMs: number): number => {
    if (stampMs === null) return arrivedAtMs;
    const ageMs = wallNow() - stampMs;
    if (stamps === "wall" && ageMs >= -1 && ageMs <= AGE_MS_MAX) return arrivedAtMs - Math.max(0, ageMs);
    // A count that starts anew says nothing about the one before.
    if (stampMs < lastStamp) offset = Number.POSITIVE_INFINITY;
    lastStamp = stampMs;
    offset = Math.min(offset + DRIFT_MS, arrivedAtMs - stampMs);
    return stampMs + offset;
  };

  return {
    of(stampMs) {
      const arrivedAtMs = now();
      const at = taken(stampMs, arrivedAtMs);
      behind = arrivedAtMs - at;
      last = Math.max(at, last + 1);
      return last;
    },
    behindMs: () => behind,
  };
}
