import type { Clock } from "./ports/clock.ts";

/** The computer's wall clock, ms since 1970; it may be set. Only for stamps that others made with it. */
export const wallNow = (): number => Date.now();

/**
 * Time of this computer. Starts at the wall clock and then follows the monotonic one, so that it never goes back while the process
 * lives; `offMs` makes it wrong, for tests.
 */
export function systemClock(offMs = 0): Clock {
  return {
    now: () => performance.timeOrigin + performance.now() + offMs,
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
    every: (periodMs, run) => {
      const timer = setInterval(run, periodMs);
      return () => clearInterval(timer);
    },
  };
}
