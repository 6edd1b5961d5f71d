import type { Timers } from "@longarm/link/socket";
import { systemTimers } from "@longarm/link/socket";
import { useEffect, useState } from "react";

/** Whole seconds to a time (ms since 1970), counted by the clock; 0 once it is over, NaN when it is no time. */
export function useSecondsLeft(until: number, clock: { now(): number }, timers: Timers = systemTimers): number {
  const [seconds, setSeconds] = useState(() => secondsTo(until, clock.now()));
  useEffect(() => {
    let stop = (): void => {};
    const tick = (): void => {
      const now = clock.now();
      setSeconds(secondsTo(until, now));
      // Each second begins where what is left of the time says, not where a timer came late.
      if (until > now) stop = timers.after((until - now) % 1_000 || 1_000, tick);
    };
    tick();
    return () => stop();
  }, [until, clock, timers]);
  return seconds;
}

const secondsTo = (until: number, now: number): number => Math.max(0, Math.ceil((until - now) / 1_000));
