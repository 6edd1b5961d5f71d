import type { HistogramData } from "./histogram.ts";
import { addTo, emptyHistogram } from "./histogram.ts";

/** Pictures further apart than this are seen to stand still, ms. */
export const FREEZE_MS = 200;

/** What somebody saw. */
export type Seen = {
  pictures: number;
  keyPictures: number;
  bytes: number;
  /** From the first picture to the last look, ms. */
  watchedMs: number;
  /** Times between two pictures, ms. */
  gaps: HistogramData;
  /** Gaps over `FREEZE_MS`, one that still lasts included. */
  freezes: number;
  /** How old pictures were when they were whole, ms of the agent's clock. */
  ages: HistogramData;
};

export function nothingSeen(): Seen {
  return {
    ...{ pictures: 0, keyPictures: 0, bytes: 0, watchedMs: 0, freezes: 0 },
    gaps: emptyHistogram(),
    ages: emptyHistogram(),
  };
}

/** Notes when pictures came. */
export class PictureLog {
  #seen = nothingSeen();
  #lastAtMs: number | undefined;
  #since: number | undefined;

  picture(
    at: { readonly atMs: number; readonly bytes: number; readonly key: boolean },
    ageMs: number | undefined,
  ): void {
    const seen = this.#seen;
    seen.pictures += 1;
    seen.bytes += at.bytes;
    if (at.key) seen.keyPictures += 1;
    if (this.#lastAtMs !== undefined) this.#gap(at.atMs - this.#lastAtMs);
    this.#lastAtMs = at.atMs;
    this.#since ??= at.atMs;
    if (ageMs !== undefined) addTo(seen.ages, ageMs);
  }

  /** When the last picture came, ms. */
  get lastAtMs(): number | undefined {
    return this.#lastAtMs;
  }

  /** What was seen since it was last asked; the watching goes on. */
  take(nowMs: number): Seen {
    const seen = this.#seen;
    const last = this.#lastAtMs;
    if (last !== undefined && nowMs - last > FREEZE_MS) {
      this.#gap(nowMs - last);
      this.#lastAtMs = nowMs;
    }
    seen.watchedMs = this.#since === undefined ? 0 : nowMs - this.#since;
    this.#since = this.#since === undefined ? undefined : nowMs;
    this.#seen = nothingSeen();
    return seen;
  }

  #gap(ms: number): void {
    addTo(this.#seen.gaps, ms);
    if (ms > FREEZE_MS) this.#seen.freezes += 1;
  }
}
