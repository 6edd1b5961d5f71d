import type { Clock } from "../../../ports/clock.ts";

/** Between a picture out of turn and those in turn lies at least this share of a period: an encoder needs it for the one before. */
const APART_SHARE = 0.3;

export type Cadence = {
  /** Captures one extra frame now, unless a scheduled one is about due. Scheduled frames keep their pace. */
  soon(): void;
  stop(): void;
};

/** Takes a picture each `periodMs` (a late one is left out, not made up for), and one more whenever it is asked for. */
export function startCadence(clock: Clock, periodMs: number, take: (outOfTurn: boolean) => void): Cadence {
  let takenAt = clock.now();
  let dueAt = takenAt + periodMs;
  let stopExtra: (() => void) | undefined;

  const taken = (outOfTurn: boolean): void => {
    takenAt = clock.now();
    take(outOfTurn);
  };
  const inTurn = (): void => {
    const now = clock.now();
    // By when it was due and not by when it ran, or every late timer would slow the pace down.
    dueAt = now - dueAt > periodMs ? now + periodMs : dueAt + periodMs;
    stopTurn = clock.after(Math.max(0, dueAt - now), inTurn);
    taken(false);
  };
  let stopTurn = clock.after(periodMs, inTurn);

  return {
    soon() {
      const now = clock.now();
      const at = Math.max(now, takenAt + periodMs * APART_SHARE);
      if (stopExtra !== undefined || at > dueAt - periodMs * APART_SHARE) return;
      stopExtra = clock.after(at - now, () => {
        stopExtra = undefined;
        taken(true);
      });
    },
    stop() {
      stopTurn();
      stopExtra?.();
    },
  };
}
