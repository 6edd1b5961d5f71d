import type { Clock } from "./ports/clock.ts";

/** The computer's wall clock, ms since 1970; it may be set. Only for stamps that others made with it. */
export const wallNow = (): number => Date.now();

/** This computer's monotonic clock, ms: the same for all of its processes. */
const monotonicNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** A clock's time at the moment when this computer's monotonic clock was zero: a clock of another process that is made with it has one time with this one. */
export const epochOf = (clock: Clock): number => clock.now() - monotonicNow();

/**
 * Time of this computer. Starts at the wall clock and then follows the monotonic one, so that it never goes back while the process
 * lives. `epochMs`: see `epochOf`.
 */
export function systemClock(epochMs?: number): Clock {
  const beganAt = epochMs === undefined ? performance.timeOrigin : epochMs + monotonicNow() - performance.now();
  return {
    now: () => beganAt + performance.now(),
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
