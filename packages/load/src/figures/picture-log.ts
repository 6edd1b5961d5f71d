import type { HistogramData } from "./histogram.ts";
import { addAll, addTo, emptyHistogram } from "./histogram.ts";

/** Pictures further apart than this are seen to stand still, ms. */
export const FREEZE_MS = 200;
/** Whoever waits for longer is without a picture, ms. */
export const DARK_MS = 5_000;

/** What somebody saw. */
export type Seen = {
  pictures: number;
  keyPictures: number;
  bytes: number;
  /** From the first picture to the last look, ms. */
  watchedMs: number;
  /** Times between two pictures, ms. */
  gaps: HistogramData;
  /** Gaps over `FREEZE_MS`. */
  freezes: number;
  /** Gaps over `DARK_MS`: somebody is without a picture. */
  dark: number;
  /** How old pictures were when they were whole, ms of the agent's clock. */
  ages: HistogramData;
};

export function nothingSeen(): Seen {
  return {
    ...{ pictures: 0, keyPictures: 0, bytes: 0, watchedMs: 0, freezes: 0, dark: 0 },
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

  /** What was seen since it was last asked. `final`: nothing follows, so a gap that still lasts counts too; else it counts once it has ended. */
  take(nowMs: number, final = false): Seen {
    const seen = this.#seen;
    const last = this.#lastAtMs;
    if (final && last !== undefined && nowMs - last > FREEZE_MS) this.#gap(nowMs - last);
    seen.watchedMs = this.#since === undefined ? 0 : nowMs - this.#since;
    this.#since = this.#since === undefined ? undefined : nowMs;
    this.#seen = nothingSeen();
    return seen;
  }

  #gap(ms: number): void {
    addTo(this.#seen.gaps, ms);
    if (ms > FREEZE_MS) this.#seen.freezes += 1;
    if (ms > DARK_MS) this.#seen.dark += 1;
  }
}

/** Adds what somebody else saw, or the same one later. */
export function addSeen(into: Seen, more: Seen): void {
  for (const key of ["pictures", "keyPictures", "bytes", "watchedMs", "freezes", "dark"] as const)
    into[key] += more[key];
  addAll(into.gaps, more.gaps);
  addAll(into.ages, more.ages);
}
