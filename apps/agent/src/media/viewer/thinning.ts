/** Time of bitrate that may be saved up, ms. */
const SAVED_MS = 500;

/**
 * Keeps one viewer within its own link while the encoder follows another's: pictures go until its allowance is used up,
 * then none until a key frame it can afford, because a picture that misses its predecessor cannot be decoded.
 */
export interface Thinning {
  /** Whether a picture of this size may go now, bytes; a picture let through is paid for. */
  admits(bytes: number, keyFrame: boolean, nowMs: number, bitrate: number): boolean;
  /** True when pictures are held back and a key frame could be afforded. */
  wantsKeyFrame(nowMs: number, bitrate: number): boolean;
  /** A key frame went out unasked, because the viewer is not thinned any more. */
  released(): void;
  /** Since when pictures are held back, or null. */
  readonly heldSinceMs: number | null;
}

export function createThinning(nowMs: number): Thinning {
  let creditBytes = 0;
  let filledAtMs = nowMs;
  let heldSinceMs: number | null = null;
  let creditMax = 0;

  const fill = (now: number, bitrate: number) => {
    creditMax = (bitrate / 8000) * SAVED_MS;
    creditBytes = Math.min(creditMax, creditBytes + ((now - filledAtMs) * bitrate) / 8000);
    filledAtMs = now;
  };

  return {
    admits(bytes, keyFrame, now, bitrate) {
      fill(now, bitrate);
      const affordable = creditBytes >= Math.min(bytes, creditMax);
      if (!affordable || (heldSinceMs !== null && !keyFrame)) {
        heldSinceMs ??= now;
        return false;
      }
      heldSinceMs = null;
      creditBytes -= bytes;
      return true;
    },
    wantsKeyFrame(now, bitrate) {
      fill(now, bitrate);
      return heldSinceMs !== null && creditBytes >= creditMax / 2;
    },
    released() {
      heldSinceMs = null;
    },
    get heldSinceMs() {
      return heldSinceMs;
    },
  };
}
