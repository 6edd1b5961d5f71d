import type { Clock, Stop } from "../../../clock.ts";

/** Changes within this time are pushed together, ms. */
export const COALESCE_MS = 50;

/** Work that failed is retried after this, ms. */
const RETRY_MS = 1_000;

/** Many requests run the work once; it always runs once more after the last request. */
export interface Coalesced {
  request(): void;
  stop: Stop;
}

/** Runs `work` `delayMs` after it was requested, one run at a time. */
export function coalesce(
  clock: Clock,
  delayMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): Coalesced {
  let waiting: Stop | undefined;
  let running = false;
  let requestedMeanwhile = false;
  let stopped = false;

  async function run(): Promise<void> {
    waiting = undefined;
    running = true;
    requestedMeanwhile = false;
    try {
      await work();
    } catch (error) {
      failed(error);
      if (!stopped) waiting = clock.after(RETRY_MS, () => void run());
    }
    running = false;
    if (requestedMeanwhile) request();
  }

  function request(): void {
    if (stopped || waiting) return;
    if (running) requestedMeanwhile = true;
    else waiting = clock.after(delayMs, () => void run());
  }

  return {
    request,
    stop() {
      stopped = true;
      waiting?.();
    },
  };
}
