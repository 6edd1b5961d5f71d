/** A picture on the player's screen. */
export type FrameSeen = {
  /** When it was handed to the screen, ms of the page's clock. */
  readonly shownAt: number;
  /** From the taking of the picture to `shownAt`, ms; unknown where the browser does not tell which picture it is. */
  readonly delayMs: number | undefined;
};

/** The readout looks back this far, ms. */
export const WINDOW_MS = 2_000;
/** A delay outside this range is a clock that is not matched yet. */
const DELAY_MS_MAX = 10_000;

/** The pictures of the last two seconds: how many a second, and how old they were. */
export class Frames {
  #seen: FrameSeen[] = [];

  add(frame: FrameSeen): void {
    this.#seen.push(frame);
    this.#forget(frame.shownAt);
  }

  /** Pictures a second over the window that ends now. */
  perSecond(now: number): number {
    this.#forget(now);
    return (this.#seen.length * 1_000) / WINDOW_MS;
  }

  /** The median delay of the window, ms; undefined when no picture told its own. */
  delayMs(now: number): number | undefined {
    this.#forget(now);
    const delays = this.#seen
      .map(({ delayMs }) => delayMs)
      .filter((delay): delay is number => delay !== undefined && delay >= -5 && delay <= DELAY_MS_MAX)
      .sort((a, b) => a - b);
    const middle = delays[Math.floor(delays.length / 2)];
    return middle === undefined ? undefined : Math.max(0, middle);
  }

  clear(): void {
    this.#seen = [];
  }

  #forget(now: number): void {
    const kept = this.#seen.findIndex(({ shownAt }) => shownAt > now - WINDOW_MS);
    if (kept > 0) this.#seen.splice(0, kept);
    else if (kept < 0) this.#seen = [];
  }
}
