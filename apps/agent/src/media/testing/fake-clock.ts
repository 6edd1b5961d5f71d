import type { Clock, Stop } from "../../ports/clock.ts";

export interface FakeClock extends Clock {
  /** Moves time on and runs what became due, in order. */
  advance(ms: number): void;
}

/** Time that stands still until a test moves it. */
export function fakeClock(startMs = 1_700_000_000_000): FakeClock {
  let now = startMs;
  const timers = new Set<{ atMs: number; run: () => void }>();
  const add = (atMs: number, run: () => void): Stop => {
    const timer = { atMs, run };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const every = (periodMs: number, run: () => void): Stop => {
    let stop: Stop = () => undefined;
    const turn = (atMs: number) => {
      stop = add(atMs, () => {
        turn(atMs + periodMs);
        run();
      });
    };
    turn(now + periodMs);
    return () => stop();
  };
  return {
    now: () => now,
    after: (delayMs, run) => add(now + delayMs, run),
    every,
    advance(ms) {
      const endMs = now + ms;
      for (;;) {
        const due = [...timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
        if (!due) break;
        timers.delete(due);
        now = Math.max(now, due.atMs);
        due.run();
      }
      now = endMs;
    },
  };
}
