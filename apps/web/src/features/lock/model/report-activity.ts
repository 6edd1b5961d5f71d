import type { Stop, Timers } from "@longarm/link/socket";
import type { IdleWatch } from "./idle-watch.ts";

export type ReportDeps = {
  readonly watch: Pick<IdleWatch, "onInput">;
  readonly clock: { now(): number };
  readonly timers: Timers;
  /** Reports are this far apart at least, ms. */
  readonly everyMs: number;
  readonly report: () => void;
};

/**
 * Reports the player's inputs to the platform, which judges idleness itself: the first one at once, and those that follow once together, so
 * that what the platform knows is never older than the last input when the page falls silent.
 */
export function reportActivity({ watch, clock, timers, everyMs, report }: ReportDeps): Stop {
  let last = Number.NEGATIVE_INFINITY;
  let stopTimer: Stop | undefined;
  function send(): void {
    stopTimer = undefined;
    last = clock.now();
    report();
  }
  const stop = watch.onInput(() => {
    if (stopTimer !== undefined) return;
    const waitMs = last + everyMs - clock.now();
    if (waitMs <= 0 || waitMs > everyMs) send();
    else stopTimer = timers.after(waitMs, send);
  });
  return () => {
    stop();
    stopTimer?.();
  };
}
