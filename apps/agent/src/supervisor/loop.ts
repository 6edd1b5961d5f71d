import type { Clock, Stop } from "../ports/clock.ts";

export type LoopOptions = {
  readonly clock: Clock;
  /** Does what is to be done now; one at a time. A rejection is tried again with back-off. */
  readonly run: () => Promise<void>;
  readonly failed?: (error: unknown) => void;
  /** Least time between the end of a run and the next one, ms. */
  readonly gapMs?: number;
  /** Also runs this long after the last one, bell or no bell, ms. */
  readonly idleMs?: number;
  readonly retryMs?: number;
  readonly retryMsMax?: number;
};

/** A loop that a bell wakes: many rings during a run make one further run. */
export interface Loop {
  ring(): void;
  /** The same, and a back-off that runs is cut short: what failed has been mended. */
  hurry(): void;
  /** Resolves when the run under way has ended; none follows. */
  stop(): Promise<void>;
}

export function startLoop(options: LoopOptions): Loop {
  const { clock, run } = options;
  const { gapMs = 0, retryMs = 250, retryMsMax = 5_000 } = options;
  let rung = false;
  let failures = 0;
  let stopped = false;
  let running: Promise<void> | undefined;
  /** True from before the first line of a run: the run itself may ring. */
  let busy = false;
  let stopTimer: Stop | undefined;
  /** While a gap or a back-off runs, a ring is only remembered. */
  let resting = false;
  /** Asked to hurry while a run was under way: if that one fails, the next follows at once. */
  let hurried = false;

  function rest(ms: number, then: () => void): void {
    resting = true;
    stopTimer = clock.after(ms, () => {
      resting = false;
      then();
    });
  }

  async function turn(): Promise<void> {
    rung = false;
    try {
      await run();
      failures = 0;
    } catch (error) {
      failures += 1;
      options.failed?.(error);
    }
    busy = false;
    running = undefined;
    if (!stopped) settle();
  }

  function settle(): void {
    const now = hurried;
    hurried = false;
    if (now) start();
    else if (failures > 0) rest(Math.min(retryMsMax, retryMs * 2 ** (failures - 1)), start);
    else if (gapMs > 0) rest(gapMs, wakeOrIdle);
    else wakeOrIdle();
  }

  function wakeOrIdle(): void {
    if (rung) start();
    else if (options.idleMs !== undefined) stopTimer = clock.after(options.idleMs, start);
  }

  function start(): void {
    if (stopped || busy) return;
    busy = true;
    stopTimer?.();
    running = turn();
  }

  start();
  return {
    ring: () => {
      rung = true;
      if (!resting) start();
    },
    hurry: () => {
      rung = true;
      hurried = busy;
      if (busy) return;
      stopTimer?.();
      resting = false;
      start();
    },
    stop: async () => {
      stopped = true;
      stopTimer?.();
      await running;
    },
  };
}
