/** Decides when a wanted key frame may be made: each costs several ordinary pictures. */
export interface KeyFrameLimit {
  /** Somebody needs a key frame; kept until one is made. */
  want(): void;
  /** True when the next picture is to be a key frame. */
  due(nowMs: number): boolean;
  made(nowMs: number): void;
}

/** At most one key frame each `gapMs`; a wish within the gap waits for its end. */
export function createKeyFrameLimit(gapMs: number): KeyFrameLimit {
  let wanted = false;
  let madeAtMs = Number.NEGATIVE_INFINITY;
  return {
    want() {
      wanted = true;
    },
    due: (nowMs) => wanted && nowMs - madeAtMs >= gapMs,
    made(nowMs) {
      wanted = false;
      madeAtMs = nowMs;
    },
  };
}
