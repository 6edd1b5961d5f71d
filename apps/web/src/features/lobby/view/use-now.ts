import { useEffect, useState } from "react";

/** The time, told again every `everyMs` while the component is there. */
export function useNow(clock: { now(): number }, everyMs: number): number {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(clock.now()), everyMs);
    return () => clearInterval(timer);
  }, [clock, everyMs]);
  return now;
}
