import type { Countdown } from "@longarm/contract/game-socket";
import type { CountdownCode } from "@longarm/contract/problems";
import type { Clock, Stop } from "../../../clock.ts";

const SECOND_MS = 1_000;

/** Tells the holder the seconds left, once a second, for as long as a counting state lasts. */
export class CountdownTeller {
  readonly #clock: Clock;
  readonly #tell: (countdown: Countdown) => void;
  #running: { readonly code: CountdownCode; readonly endsAtMs: number } | undefined;
  #stop: Stop = () => {};
  #lastCount: number | undefined;

  constructor(clock: Clock, tell: (countdown: Countdown) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Shows this countdown from now on; null: none, and one that runs is told as 0. */
  show(next: { readonly code: CountdownCode; readonly leftMs: number } | null): void {
    const before = this.#running;
    this.close();
    if (before?.code !== next?.code) {
      this.#lastCount = undefined;
      if (before) this.#tell({ code: before.code, count: 0 });
    }
    if (next === null) return;
    this.#running = { code: next.code, endsAtMs: this.#clock.now() + next.leftMs };
    this.#tick();
  }

  close(): void {
    this.#stop();
    this.#running = undefined;
  }

  #tick(): void {
    if (!this.#running) return;
    const { code, endsAtMs } = this.#running;
    const leftMs = Math.max(0, endsAtMs - this.#clock.now());
    const count = Math.ceil(leftMs / SECOND_MS);
    // A seat that is read again while it counts tells nothing new.
    if (count !== this.#lastCount) this.#tell({ code, count });
    this.#lastCount = count;
    if (leftMs === 0) this.#running = undefined;
    else this.#stop = this.#clock.after(leftMs % SECOND_MS || SECOND_MS, () => this.#tick());
  }
}
