import type { Clock } from "../clock.ts";

type Timer = { dueAt: number; readonly everyMs: number | undefined; readonly run: () => void };

/** A clock that stands still until a test moves it. */
export function manualClock(start = 1_790_000_000_000): Clock & { advance(ms: number): void } {
  let now = start;
  const timers = new Set<Timer>();
  const add = (delayMs: number, everyMs: number | undefined, run: () => void) => {
    const timer: Timer = { dueAt: now + delayMs, everyMs, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  return {
    now: () => now,
    after: (delayMs, run) => add(delayMs, undefined, run),
    every: (periodMs, run) => add(periodMs, periodMs, run),
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter(({ dueAt }) => dueAt <= end).sort((one, other) => one.dueAt - other.dueAt)[0];
        if (!due) break;
        now = due.dueAt;
        if (due.everyMs === undefined) timers.delete(due);
        else due.dueAt += due.everyMs;
        due.run();
      }
      now = end;
    },
  };
}

/**
 * The real clock, moved forward by as much as a test says; timers run in real time.
 * @param sooner what repeats each second or more seldom comes so many times as often
 */
export function shiftedClock(real: Clock, sooner = 1): Clock & { shift(ms: number): void } {
  let shifted = 0;
  return {
    ...real,
    now: () => real.now() + shifted,
    every: (periodMs, run) => real.every(periodMs < 1_000 ? periodMs : periodMs / sooner, run),
    shift(ms) {
      shifted += ms;
    },
  };
}
