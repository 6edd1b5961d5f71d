import type { Timers } from "@longarm/link/socket";

/** Sign-ins under way at once: each costs the house a hash of a password. */
const AT_ONCE = 4;

/** Lets people sign in a few at a time, and nobody for as long as the house says to wait. */
export class Turns {
  readonly #timers: Timers;
  readonly #waiting: (() => void)[] = [];
  #open = 0;
  #paused = false;
  #released = false;
  #waitedMs = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** How long the house made people wait in all, ms. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** `go` is called when it is somebody's turn. */
  want(go: () => void): void {
    this.#waiting.push(go);
    if (this.#released) this.release();
    else this.#next();
  }

  over(waitMs: number): void {
    this.#open -= 1;
    if (waitMs > 0 && !this.#paused) {
      this.#paused = true;
      this.#waitedMs += waitMs;
      this.#timers.after(waitMs, () => {
        this.#paused = false;
        this.#next();
      });
    }
    this.#next();
  }

  /** Nobody waits any more, now or later. */
  release(): void {
    this.#released = true;
    this.#paused = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  #next(): void {
    while (!this.#paused && this.#open < AT_ONCE) {
      const go = this.#waiting.shift();
      if (go === undefined) return;
      this.#open += 1;
      go();
    }
  }
}
