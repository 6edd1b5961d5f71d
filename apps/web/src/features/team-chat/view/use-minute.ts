import type { Timers } from "@longarm/link/socket";
import { useEffect, useState } from "react";

/** How often "a minute ago" is said anew, ms. */
const EVERY_MS = 30_000;

/** The time, ms since 1970, fresh enough for words like "5 minutes ago". */
export function useMinute(clock: { now(): number }, timers: Timers): number {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    let stop = (): void => {};
    const tick = (): void => {
      setNow(clock.now());
      stop = timers.after(EVERY_MS, tick);
    };
    tick();
    return () => stop();
  }, [clock, timers]);
  return now;
}
