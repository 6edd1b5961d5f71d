import type { FrameClock, VideoFrame } from "../ports/source.ts";

/** A frame's own stamp. */
export interface Stamp {
  /** Null: it has none. */
  readonly atMs: number | null;
  /** The wall clock's time (ms since 1970) of stamp 0, as the source says it by its own clock; undefined: it does not. */
  readonly zeroAtMs: number | undefined;
}

/** The maximum age of a wall-clock stamp, ms; an older one comes from a wrong clock in the driver. */
const AGE_MS_MAX = 2_000;
/** The clocks of a camera and of this computer drift apart by less than this, ms a frame. */
const DRIFT_MS = 0.01;
/** A camera's clock is right when its quickest frame came so long after the time that the camera says, ms. Beyond, the clock is wrong. */
const CAMERA_MS_MIN = -20;
const CAMERA_MS_MAX = 500;
/** Where the delay is known, a right clock of the camera says the same, give or take a frame and the network, ms. */
const CAMERA_MS_NEAR = 40;
/** A source whose stamps never show that its frames come live is taken for live after this, ms. */
const LIVE_AFTER_MS = 1_000;

interface CaptureTimes {
  /**
   * The capture time of a frame with this stamp, on the agent's clock; grows with every call. Undefined: the frame waited somewhere while the
   * source was opened, and is not to be shown.
   */
  of(stamp: Stamp): Required<Pick<VideoFrame, "capturedAtMs" | "clock">> | undefined;
  /** Extra transit time of the last frame over the fastest one, ms; growth means upstream queueing. */
  behindMs(): number;
}

/**
 * Converts an input's stamps to times of the agent's clock. A stamp of this computer's wall clock gives the age. A count from some start is
 * aligned by the fastest frame: it took as long as the source's own clock says, or, where that says nothing or is wrong, `knownDelayMs`.
 */
export function createCaptureTimes(
  stamps: "wall" | "stream",
  now: () => number,
  wallNow: () => number,
  knownDelayMs?: number,
): CaptureTimes {
  const setDelayMs = knownDelayMs ?? 0;
  const isLive = createLive();
  let offset = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let lastStamp = Number.NEGATIVE_INFINITY;
  let behind = 0;
  let frameClock: FrameClock = { by: stamps === "wall" ? "computer" : "arrival", delayMs: setDelayMs };

  const taken = ({ atMs, zeroAtMs }: Stamp, arrivedAtMs: number): number => {
    behind = 0;
    if (atMs === null) {
      frameClock = { by: "arrival", delayMs: setDelayMs };
      return arrivedAtMs - setDelayMs;
    }
    const wallMs = wallNow();
    const ageMs = wallMs - atMs;
    if (stamps === "wall" && ageMs >= -1 && ageMs <= AGE_MS_MAX) {
      frameClock = { by: "computer", delayMs: setDelayMs };
      behind = Math.max(0, ageMs);
      return arrivedAtMs - behind - setDelayMs;
    }
    // After the count restarts, the earlier alignment does not hold.
    if (atMs < lastStamp) offset = Number.POSITIVE_INFINITY;
    lastStamp = atMs;
    offset = Math.min(offset + DRIFT_MS, arrivedAtMs - atMs);
    behind = arrivedAtMs - atMs - offset;
    const cameraMs = zeroAtMs === undefined ? undefined : offset - (zeroAtMs + arrivedAtMs - wallMs);
    frameClock = clockOf(cameraMs, knownDelayMs);
    return atMs + offset - frameClock.delayMs;
  };

  return {
    of(stamp) {
      const arrivedAtMs = now();
      const at = taken(stamp, arrivedAtMs);
      if (stamps === "stream" && !isLive(stamp.atMs, arrivedAtMs, frameClock.cameraMs)) return undefined;
      last = Math.max(at, last + 1);
      return { capturedAtMs: last, clock: frameClock };
    },
    behindMs: () => behind,
  };
}

/** `cameraMs`: how long the quickest frame took by the source's own clock. */
function clockOf(cameraMs: number | undefined, knownDelayMs: number | undefined): FrameClock {
  const arrival = { by: "arrival", delayMs: knownDelayMs ?? 0 } as const;
  if (cameraMs === undefined) return arrival;
  const isRight =
    knownDelayMs === undefined
      ? cameraMs >= CAMERA_MS_MIN && cameraMs <= CAMERA_MS_MAX
      : Math.abs(cameraMs - knownDelayMs) <= CAMERA_MS_NEAR;
  return isRight ? { by: "camera", delayMs: Math.max(0, cameraMs) } : { ...arrival, cameraMs };
}

/**
 * False as long as frames come faster than they were taken: they waited while the source was looked at, and the first of them would be taken for
 * later than they are. A busy computer reads them no faster than they are taken; then the camera's clock (`cameraMs`, where it is not believed)
 * says that they waited.
 */
function createLive(): (stampMs: number | null, arrivedAtMs: number, cameraMs: number | undefined) => boolean {
  let live = false;
  let first: number | undefined;
  let before: { readonly stampMs: number; readonly arrivedAtMs: number } | undefined;
  return (stampMs, arrivedAtMs, cameraMs = 0) => {
    if (live) return true;
    first ??= arrivedAtMs;
    const took = before === undefined ? 0 : arrivedAtMs - before.arrivedAtMs;
    const wasTaken = before === undefined || stampMs === null ? Number.POSITIVE_INFINITY : stampMs - before.stampMs;
    const waited = cameraMs > CAMERA_MS_MAX && cameraMs <= AGE_MS_MAX;
    live = (took >= wasTaken / 2 && !waited) || arrivedAtMs - first >= LIVE_AFTER_MS;
    if (stampMs !== null) before = { stampMs, arrivedAtMs };
    return live;
  };
}
