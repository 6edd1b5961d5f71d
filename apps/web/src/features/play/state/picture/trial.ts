import type { Stop, Timers } from "@longarm/link/socket";

/** A way that is tried has this long to connect, ms. */
export const TRY_MS = 6_000;

/** One way under trial: waits until it connects, or for long enough. */
export class Trial {
  readonly #timers: Timers;
  #tell: ((connected: boolean) => void) | undefined;
  #stop: Stop = () => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get runs(): boolean {
    return this.#tell !== undefined;
  }

  /** Ends one that still runs. */
  begin(): Promise<boolean> {
    this.end(false);
    this.#stop = this.#timers.after(TRY_MS, () => this.end(false));
    return new Promise((tell) => {
      this.#tell = tell;
    });
  }

  end(connected: boolean): void {
    this.#stop();
    this.#tell?.(connected);
    this.#tell = undefined;
  }
}
