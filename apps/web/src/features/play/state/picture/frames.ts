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

/** Freezes are remembered for so long, ms. */
export const FREEZE_WINDOW_MS = 5_000;
/** Two pictures further apart than this stood still between, ms: a rate of five a second is poor by itself. */
const FREEZE_MS = 200;

/** The pictures of the last two seconds: how many a second, and how old they were. */
export class Frames {
  #seen: FrameSeen[] = [];
  #last: number | undefined;
  /** Since when pictures come without a break of the whole window. */
  #since: number | undefined;
  #freezes: { readonly endedAt: number; readonly ms: number }[] = [];

  add(frame: FrameSeen): void {
    const { shownAt } = frame;
    const gapMs = this.#last === undefined ? 0 : shownAt - this.#last;
    if (gapMs >= FREEZE_MS) this.#freezes = [...this.#freezes, { endedAt: shownAt, ms: gapMs }];
    if (this.#last === undefined || gapMs >= WINDOW_MS) this.#since = shownAt;
    this.#last = shownAt;
    this.#seen.push(frame);
    this.#forget(frame.shownAt);
  }

  /** Pictures a second over the window that ends now. */
  perSecond(now: number): number {
    this.#forget(now);
    return (this.#seen.length * 1_000) / WINDOW_MS;
  }

  /** The same once the window is full; undefined before: a picture that has just begun is not a slow one. */
  steadyPerSecond(now: number): number | undefined {
    return this.#since === undefined || now - this.#since < WINDOW_MS ? undefined : this.perSecond(now);
  }

  /** For how long the picture stood still in the last `FREEZE_WINDOW_MS`, also now, ms. */
  frozenMs(now: number): number {
    this.#freezes = this.#freezes.filter(({ endedAt }) => endedAt > now - FREEZE_WINDOW_MS);
    const open = this.#last === undefined ? 0 : now - this.#last;
    return this.#freezes.reduce((sum, { ms }) => sum + ms, open >= FREEZE_MS ? open : 0);
  }

  /** The page was not seen: what was not drawn meanwhile stood not still. */
  unseen(): void {
    this.#last = undefined;
    this.#since = undefined;
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
