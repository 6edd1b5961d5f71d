/** Neighbouring bins are so many times apart: a value is known within 1 %. */
const STEP = 1.02;
/** Everything below is the same to us. */
const LEAST = 0.05;

/** Many values in little room, that travels as JSON and adds up across processes. */
export type HistogramData = { count: number; most: number; bins: Record<string, number> };

export function emptyHistogram(): HistogramData {
  return { count: 0, most: 0, bins: {} };
}

/** Adds a value; one below zero counts as zero. */
export function addTo(into: HistogramData, value: number): void {
  if (!Number.isFinite(value)) return;
  const bin = value < LEAST ? -1 : Math.round(Math.log(value / LEAST) / Math.log(STEP));
  into.count += 1;
  into.most = Math.max(into.most, value);
  into.bins[bin] = (into.bins[bin] ?? 0) + 1;
}

export function addAll(into: HistogramData, other: HistogramData): void {
  into.count += other.count;
  into.most = Math.max(into.most, other.most);
  for (const [bin, count] of Object.entries(other.bins)) into.bins[bin] = (into.bins[bin] ?? 0) + count;
}

export type Spread = { readonly p50: number; readonly p95: number; readonly max: number; readonly n: number };

/** Null without a value. */
export function spreadIn(data: HistogramData): Spread | null {
  if (data.count === 0) return null;
  return { p50: valueAt(data, 0.5), p95: valueAt(data, 0.95), max: data.most, n: data.count };
}

function valueAt({ bins, count, most }: HistogramData, share: number): number {
  let left = Math.ceil(count * share);
  const inOrder = Object.entries(bins)
    .map(([bin, many]) => [Number(bin), many] as const)
    .sort(([one], [other]) => one - other);
  for (const [bin, many] of inOrder) {
    left -= many;
    if (left <= 0) return bin < 0 ? 0 : Math.min(most, LEAST * STEP ** bin);
  }
  return most;
}

/** Frames further apart than this are seen as a freeze, ms. */
export const FREEZE_MS = 200;
/** A player who waits longer has no video, ms. */
const DARK_MS = 5_000;

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

/** Notes when frames came. */
export class FrameLog {
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

  /** When the last frame came, ms. */
  get lastAtMs(): number | undefined {
    return this.#lastAtMs;
  }

  /** What was seen since the last call. `final`: nothing follows, so a gap that still lasts counts too; else it counts once it has ended. */
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
