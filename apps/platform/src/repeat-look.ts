import type { Clock, Stop } from "./clock.ts";
import type { Log } from "./log.ts";

/** Work that a node does again and again, one look at a time. */
export type RepeatedLook = {
  /** Begins to look by itself. */
  start(): void;
  /** Looks now, or joins the look that runs; answers for how many players it did something. */
  look(): Promise<number>;
  /** Stops after the transaction that runs. */
  close(): Promise<void>;
};

type LookOptions = {
  readonly clock: Pick<Clock, "every">;
  readonly log: Pick<Log, "warn">;
  readonly everyMs: number;
  /** The sentence of the log when a look fails. */
  readonly failed: string;
};

/** Repeats a look. `lookNow` ends between two transactions once `isClosed` says so. */
export function repeatLook(
  { clock, log, everyMs, failed }: LookOptions,
  lookNow: (isClosed: () => boolean) => Promise<number>,
): RepeatedLook {
  let running: Promise<number> | undefined;
  let stop: Stop | undefined;
  let closed = false;
  function look(): Promise<number> {
    running ??= lookNow(() => closed).finally(() => {
      running = undefined;
    });
    return running;
  }
  return {
    look,
    start() {
      stop = clock.every(everyMs, () => {
        if (running === undefined) look().catch((error: unknown) => log.warn({ err: error }, failed));
      });
    },
    async close() {
      closed = true;
      stop?.();
      await running?.catch(() => undefined);
    },
  };
}
