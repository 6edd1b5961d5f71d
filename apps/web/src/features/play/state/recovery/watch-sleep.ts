import type { Stop, Timers } from "@longarm/link/socket";

const LOOK_MS = 1_000;
/** Time that passed without the page, beyond what a busy or hidden one loses, ms. */
export const SLEPT_MS = 5_000;

/** Tells when the computer, or the page, has slept: the day's clock went on and the page's timers did not. */
export function watchSleep(timers: Timers, wallNow: () => number, woke: () => void): Stop {
  let stop: Stop = () => {};
  let lookedAt = wallNow();
  const next = (): void => {
    stop = timers.after(LOOK_MS, () => {
      const now = wallNow();
      if (now - lookedAt >= LOOK_MS + SLEPT_MS) woke();
      lookedAt = now;
      next();
    });
  };
  next();
  return () => stop();
}
