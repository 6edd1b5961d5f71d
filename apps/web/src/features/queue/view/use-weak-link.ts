import { useLive } from "@longarm/ui/live.ts";
import { useEffect } from "react";
import type { QueueDeps } from "../queue-deps.ts";
import { isWeak } from "../queues.ts";

/** A weak connection is measured again after this, ms. */
const AGAIN_MS = 2_000;

/** How long the way to the platform and back is, ms, where that is too long for a fair game; undefined: it is not, or not known yet. */
export function useWeakLink({ queues, timers }: Pick<QueueDeps, "queues" | "timers">): number | undefined {
  useEffect(() => {
    let stop: (() => void) | undefined;
    let over = false;
    async function measure(): Promise<void> {
      await queues.measure();
      if (!over && isWeak(queues.now.getState())) stop = timers.after(AGAIN_MS, () => void measure());
    }
    void measure();
    return () => {
      over = true;
      stop?.();
    };
  }, [queues, timers]);
  return useLive(queues.now, (now) => (isWeak(now) ? Math.round(now.roundTripMs ?? 0) : undefined));
}
