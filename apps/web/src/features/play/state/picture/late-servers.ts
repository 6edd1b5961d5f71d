import type { Stop, Timers } from "@longarm/link/socket";
import type { Line } from "./line.ts";

/** A direct way has been found by then, where there is one, ms. */
const DIRECT_MS = 500;

/**
 * A browser asks servers that it learns of after its offer only with a restart: where only a relay leads to the machine that is not put
 * off until pictures are missed.
 */
export class LateServers {
  readonly #timers: Timers;
  #stop: Stop = () => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** The line has just been answered. */
  learned(line: Line | undefined, restart: (line: Line) => void): void {
    this.#stop();
    if (line === undefined) return;
    this.#stop = this.#timers.after(DIRECT_MS, () => {
      if (line.state === "connecting") restart(line);
    });
  }

  end(): void {
    this.#stop();
  }
}
