import type { Timers } from "@longarm/link/socket";
import { useEffect, useState } from "react";

/** Whole seconds to a time (ms since 1970), counted by the clock. `left` bounds it; 0 once it is over. */
export function useSecondsLeft(
  until: number,
  clock: { now(): number },
  timers: Timers,
  left: (until: number, now: number) => number = (end, now) => Math.max(0, end - now),
): number {
  const [seconds, setSeconds] = useState(() => Math.ceil(left(until, clock.now()) / 1_000));
  useEffect(() => {
    let stop = (): void => {};
    const tick = (): void => {
      const ms = left(until, clock.now());
      setSeconds(Math.ceil(ms / 1_000));
      if (ms > 0) stop = timers.after(ms % 1_000 || 1_000, tick);
    };
    tick();
    return () => stop();
  }, [until, clock, timers, left]);
  return seconds;
}
