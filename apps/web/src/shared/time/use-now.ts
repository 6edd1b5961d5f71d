import type { Timers } from "@longarm/link/socket";
import { useEffect, useState } from "react";

/** The time, anew each second. Ms since 1970. */
export function useNow(clock: { now(): number }, timers: Timers): number {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    let stop = (): void => {};
    const tick = (): void => {
      setNow(clock.now());
      stop = timers.after(1_000, tick);
    };
    tick();
    return () => stop();
  }, [clock, timers]);
  return now;
}
