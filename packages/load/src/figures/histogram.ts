/** Neighbouring bins are so many times apart: a value is told within 1 %. */
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
