import type { Stop, Timers } from "./socket.ts";

export type BackOffOptions = {
  /** First wait, ms; doubles with every failure up to `backOffMsMax`. */
  readonly backOffMs: number;
  readonly backOffMsMax: number;
  /** How long a connection must hold before failures are forgotten, ms. */
  readonly steadyMs: number;
  readonly timers: Timers;
  /** 0 to below 1; spreads the return of many clients. */
  readonly random: () => number;
};

/** Growing, spread waits between attempts, forgotten once a connection has held. */
export function createBackOff({ backOffMs, backOffMsMax, steadyMs, timers, random }: BackOffOptions) {
  let failures = 0;
  let stopSteady: Stop = () => {};
  return {
    failures: () => failures,
    opened(): void {
      stopSteady = timers.after(steadyMs, () => {
        failures = 0;
      });
    },
    lost(): void {
      stopSteady();
    },
    /** The next wait, ms: half of it to all of it. */
    next(): number {
      const wait = Math.min(backOffMsMax, backOffMs * 2 ** failures);
      failures += 1;
      return Math.round(wait * (0.5 + random() / 2));
    },
  };
}
