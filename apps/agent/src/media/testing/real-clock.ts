import type { Clock } from "../../ports/clock.ts";

/** The machine's own time, for tests with a real browser. */
export const realClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  every(periodMs, run) {
    const timer = setInterval(run, periodMs);
    return () => clearInterval(timer);
  },
};

/** Waits until `read` gives something other than null, false or undefined; fails with `what` after the deadline. */
export async function until<T>(
  what: string,
  read: () => T | Promise<T>,
  deadlineMs = 60_000,
): Promise<Exclude<T, null | undefined | false>> {
  const endsAt = performance.now() + deadlineMs;
  for (;;) {
    const value = await read();
    if (value !== null && value !== undefined && value !== false) return value as Exclude<T, null | undefined | false>;
    if (performance.now() > endsAt) throw new Error(`Not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
