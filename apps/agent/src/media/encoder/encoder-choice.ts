import type { Clock } from "../../ports/clock.ts";
import type { EncoderName } from "./h264-encoders.ts";
import type { OpenEncoder } from "./promises.ts";
import type { VideoEncoder } from "./video-encoder.ts";
import { createVideoEncoder } from "./video-encoder.ts";

/** What encodes H.264 in this process. */
export interface EncoderChoice {
  /** What is opened next. */
  now(): EncoderName;
  /** From the next opening on. */
  use(name: EncoderName): void;
  /** Opens what is chosen now. Rejects, as the encoder's own `encode` does, when it fails; the caller then calls `failed`. */
  readonly open: OpenEncoder;
  /** Opens x264 from now on, for good; true when it was another until now. */
  failed(): boolean;
}

export function createEncoderChoice(clock: Clock, open: OpenEncoder = createVideoEncoder): EncoderChoice {
  let chosen: EncoderName = "x264";
  let hasFailed = false;
  return {
    now: () => chosen,
    use(name) {
      if (!hasFailed) chosen = name;
    },
    async open(settings) {
      if (settings.codec !== "h264" || chosen === "x264") return await open(settings);
      const encoder = chosen;
      return await openWatched(() => open({ ...settings, encoder }), clock);
    },
    failed() {
      hasFailed = true;
      const changes = chosen !== "x264";
      chosen = "x264";
      return changes;
    },
  };
}

/** A hardware encoder that takes longer has failed, ms: to open, and for one frame. A native call cannot be ended, but its result need not be waited for. */
const OPEN_MS_MAX = 3_000;
const FRAME_MS_MAX = 300;

/**
 * Opens an encoder of which nothing is sure. It rejects, and so does `encode`, when the driver does not answer in time, gives no frame for a frame, or no
 * key frame where one was requested.
 */
export async function openWatched(open: () => Promise<VideoEncoder>, clock: Clock): Promise<VideoEncoder> {
  const opening = open();
  const encoder = await within(opening, OPEN_MS_MAX, clock, "It does not open").catch((error: unknown) => {
    // Should it open after all, nothing uses it.
    void opening.then((late) => late.close()).catch(() => undefined);
    throw error;
  });
  return {
    get busy() {
      return encoder.busy;
    },
    async encode(image, keyFrame, changed) {
      const encoding = encoder.encode(image, keyFrame, changed);
      const unit = await within(encoding, FRAME_MS_MAX, clock, "A frame does not come out");
      if (unit === null) throw new Error("A frame did not come out when it went in.");
      if (keyFrame && !unit.keyFrame) throw new Error("A key frame was requested and did not come.");
      return unit;
    },
    setBitrate: (bitsPerSecond) => encoder.setBitrate(bitsPerSecond),
    // It waits for the frame that is being encoded.
    close: () => within(encoder.close(), FRAME_MS_MAX, clock, "It does not close").catch(() => undefined),
  };
}

async function within<T>(result: Promise<T>, ms: number, clock: Clock, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  // Where this process itself stood still, the result may be there, unread: it is read before the next turn.
  const stop = clock.after(ms, () => setImmediate(() => late.reject(new Error(`${what} within ${ms} ms.`))));
  try {
    return await Promise.race([result, late.promise]);
  } finally {
    stop();
  }
}
