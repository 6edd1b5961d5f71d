import type { Stop, Timers } from "@longarm/link/socket";
import type { LineFacts } from "./line.ts";

/** How a try of one way ended; `refused`: the platform or the agent did not answer the offer. */
export type WayTried = LineFacts & { readonly is: "connected" | "failed" | "refused" };

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

  /** Ends one that still runs. `over`: ends this one, and no other that has begun since. */
  begin(): { readonly stands: Promise<boolean>; readonly over: (connected: boolean) => void } {
    this.end(false);
    this.#stop = this.#timers.after(TRY_MS, () => this.end(false));
    let tell: (connected: boolean) => void = () => {};
    const stands = new Promise<boolean>((resolve) => {
      tell = resolve;
    });
    this.#tell = tell;
    return { stands, over: (connected) => this.#tell === tell && this.end(connected) };
  }

  end(connected: boolean): void {
    this.#stop();
    this.#tell?.(connected);
    this.#tell = undefined;
  }
}
