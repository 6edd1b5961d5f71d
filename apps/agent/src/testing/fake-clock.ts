import type { Clock } from "../ports/clock.ts";

/** A clock that a test moves by hand. */
export type FakeClock = Clock & {
  /** Moves on; timers that come due run in their order, each at its own time. */
  advance(ms: number): void;
  /** The same, with room for promises between the timers. */
  pass(ms: number): Promise<void>;
};

type Timer = { at: number; periodMs: number | undefined; run: () => void };

export function fakeClock(startMs = 1_000_000): FakeClock {
  let now = startMs;
  const timers = new Set<Timer>();

  function start(timer: Timer): () => void {
    timers.add(timer);
    return () => timers.delete(timer);
  }

  function next(untilMs: number): Timer | undefined {
    return [...timers].filter((timer) => timer.at <= untilMs).sort((a, b) => a.at - b.at)[0];
  }

  function fire(timer: Timer): void {
    now = Math.max(now, timer.at);
    if (timer.periodMs === undefined) timers.delete(timer);
    else timer.at += timer.periodMs;
    timer.run();
  }

  return {
    now: () => now,
    after: (delayMs, run) => start({ at: now + delayMs, periodMs: undefined, run }),
    every: (periodMs, run) => start({ at: now + periodMs, periodMs, run }),
    advance: (ms) => {
      const end = now + ms;
      for (let timer = next(end); timer !== undefined; timer = next(end)) fire(timer);
      now = end;
    },
    pass: async (ms) => {
      const end = now + ms;
      await settle();
      for (let timer = next(end); timer !== undefined; timer = next(end)) {
        fire(timer);
        await settle();
      }
      now = end;
      await settle();
    },
  };
}

/** Lets everything run that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
