const SLICE_MS = 100;
const SLICES = 10;

/** Bytes of the last second, in slices of 100 ms. */
export function createSentRate() {
  const slices = new Float64Array(SLICES);
  let newest = 0;

  const advance = (nowMs: number) => {
    const slice = Math.floor(nowMs / SLICE_MS);
    if (slice - newest >= SLICES) slices.fill(0);
    else for (let at = newest + 1; at <= slice; at += 1) slices[at % SLICES] = 0;
    newest = Math.max(newest, slice);
  };

  return {
    add(bytes: number, nowMs: number): void {
      advance(nowMs);
      slices[newest % SLICES] = (slices[newest % SLICES] ?? 0) + bytes;
    },
    /** Bit/s over the last second. */
    bitsPerSecond(nowMs: number): number {
      advance(nowMs);
      return slices.reduce((sum, bytes) => sum + bytes, 0) * 8;
    },
  };
}
