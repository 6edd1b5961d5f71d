import type { Clock } from "../../../ports/clock.ts";

/** A connection that is not up by then is given up, ms. */
const CONNECT_DEADLINE_MS = 30_000;
/** A browser tells something at least once a second. */
const INTERRUPTED_AFTER_MS = 4_000;
const LOST_AFTER_MS = 30_000;
const LOOK_MS = 1_000;

export interface Liveness {
  /** Something came from the browser. */
  heard(): void;
  /** Media can flow; from now on silence counts. */
  connected(): void;
  stop(): void;
}

/** Watches that a browser connects in time and stays to be heard. */
export function watchLiveness(clock: Clock, on: { interrupted(): void; lost(reason: string): void }): Liveness {
  const startedAtMs = clock.now();
  let heardAtMs = startedAtMs;
  let isConnected = false;
  let interrupted = false;
  const look = () => {
    const now = clock.now();
    const silentMs = now - heardAtMs;
    if (!isConnected && now - startedAtMs > CONNECT_DEADLINE_MS) on.lost("The browser did not connect within 30 s.");
    else if (isConnected && silentMs > LOST_AFTER_MS) on.lost("The browser has not been heard for 30 s.");
    else if (isConnected && silentMs > INTERRUPTED_AFTER_MS && !interrupted) {
      interrupted = true;
      on.interrupted();
    }
  };
  const heard = () => {
    heardAtMs = clock.now();
    interrupted = false;
  };
  return {
    heard,
    connected() {
      isConnected = true;
      heard();
    },
    stop: clock.every(LOOK_MS, look),
  };
}
