import type { Clock, Stop } from "../ports/clock.ts";

export type LoopOptions = {
  readonly clock: Clock;
  /** Does what there is to do; one run at a time. A run that rejects is repeated with back-off. */
  readonly run: () => Promise<void>;
  readonly failed?: (error: unknown) => void;
  /** Minimum time between the end of a run and the next one, ms. */
  readonly gapMs?: number;
  /** Runs this long after the last run without a ring too, ms. */
  readonly idleMs?: number;
  readonly retryMs?: number;
  readonly retryMsMax?: number;
};

/** A coalescing loop: many rings during a run cause one further run. */
export interface Loop {
  ring(): void;
  /** The same, and ends a back-off early: the cause of the failure is gone. */
  hurry(): void;
  /** Resolves when the present run has ended; no other follows. */
  stop(): Promise<void>;
}

export function startLoop(options: LoopOptions): Loop {
  const { clock, run } = options;
  const { gapMs = 0, retryMs = 250, retryMsMax = 5_000 } = options;
  const pause = createPause(clock);
  let rung = false;
  let failures = 0;
  let stopped = false;
  let running: Promise<void> | undefined;
  /** Set before a run starts: the run itself may ring. */
  let busy = false;
  /** `hurry` was called during a run: if that run fails, the next follows at once. */
  let hurried = false;

  async function runOnce(): Promise<void> {
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
    else if (failures > 0) pause.rest(Math.min(retryMsMax, retryMs * 2 ** (failures - 1)), start);
    else if (gapMs > 0) pause.rest(gapMs, wakeOrIdle);
    else wakeOrIdle();
  }

  function wakeOrIdle(): void {
    if (rung) start();
    else if (options.idleMs !== undefined) pause.idle(options.idleMs, start);
  }

  function start(): void {
    if (stopped || busy) return;
    busy = true;
    pause.end();
    running = runOnce();
  }

  start();
  return {
    ring: () => {
      rung = true;
      if (!pause.resting()) start();
    },
    hurry: () => {
      rung = true;
      hurried = busy;
      start();
    },
    stop: async () => {
      stopped = true;
      pause.end();
      await running;
    },
  };
}

/** The time between two runs. During a rest (a gap, a back-off) a ring is only remembered; while idle, a ring ends the pause. */
function createPause(clock: Clock) {
  let stop: Stop | undefined;
  let resting = false;
  const end = (): void => {
    stop?.();
    resting = false;
  };
  return {
    rest(ms: number, then: () => void): void {
      resting = true;
      stop = clock.after(ms, () => {
        resting = false;
        then();
      });
    },
    idle(ms: number, then: () => void): void {
      stop = clock.after(ms, then);
    },
    resting: () => resting,
    end,
  };
}
