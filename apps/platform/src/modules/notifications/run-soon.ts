import type { Clock, Stop } from "../../clock.ts";

/** After work that failed it is tried again, ms. */
const AGAIN_MS = 1_000;

/** Asks for work; asking often runs it once, and it always runs once more after the last asking. */
export interface Soon {
  ask(): void;
  stop: Stop;
}

/** Runs `work` `delayMs` after it was asked for, one at a time. */
export function runSoon(
  clock: Clock,
  delayMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): Soon {
  let waiting: Stop | undefined;
  let running = false;
  let askedAgain = false;
  let stopped = false;

  async function run(): Promise<void> {
    waiting = undefined;
    running = true;
    askedAgain = false;
    try {
      await work();
    } catch (error) {
      failed(error);
      if (!stopped) waiting = clock.after(AGAIN_MS, () => void run());
    }
    running = false;
    if (askedAgain) ask();
  }

  function ask(): void {
    if (stopped || waiting) return;
    if (running) askedAgain = true;
    else waiting = clock.after(delayMs, () => void run());
  }

  return {
    ask,
    stop() {
      stopped = true;
      waiting?.();
    },
  };
}
