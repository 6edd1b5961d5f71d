import type { Timers } from "@longarm/link/socket";
import { useEffect, useState } from "react";

/** The time, ms since 1970, refreshed every second or as often as `everyMs` says. */
export function useNow(clock: { now(): number }, timers: Timers, everyMs = 1_000): number {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    let stop = (): void => {};
    const tick = (): void => {
      setNow(clock.now());
      stop = timers.after(everyMs, tick);
    };
    tick();
    return () => stop();
  }, [clock, timers, everyMs]);
  return now;
}
