import {
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
  TIME_CODE,
} from "../../apps/agent/src/drivers/simulated/picture/reading/layout.ts";
import type { TimeCode } from "../../apps/agent/src/drivers/simulated/picture/reading/time-code.ts";
import { readTimeCode, timeCodeAge } from "../../apps/agent/src/drivers/simulated/picture/reading/time-code.ts";

/** One picture as it was shown: when (ms since 1970), how old it was then, and its press marker. */
export type ShownFrame = {
  readonly shownAt: number;
  /**
   * By the time of capture painted into it. Null where that cannot be read with certainty, or is not the one its RTP timestamp
   * tells: a late callback finds the next picture in the element already.
   */
  readonly ageMs: number | null;
  /** Null where the time code cannot be read. */
  readonly marker: boolean | null;
  /** The time painted into it, ms modulo 2^16; null where it cannot be read. It may be the next picture's, as above. */
  readonly code: number | null;
  /** Its RTP timestamp, when its last packet came (ms since 1970) and its time in the decoder (ms); null: the browser does not tell. */
  readonly rtp: number | null;
  readonly receivedAt: number | null;
  readonly decodeMs: number | null;
};

/** RTP timestamps are the capture clock at 90 kHz, 32 bits of it. */
const RTP_PER_MS = 90;
const RTP_TURN = 2 ** 32;
const CODE_TURN = 65_536;

/** Tells each picture of the machine that a video element presents, read from the strip along its lower edge; none of the room's camera. */
export function logFrames(video: HTMLVideoElement, shown: (frame: ShownFrame) => void): void {
  const read = createReader();
  const next = (_now: number, told: VideoFrameCallbackMetadata): void => {
    const { presentationTime, rtpTimestamp, receiveTime, processingDuration } = told;
    video.requestVideoFrameCallback(next);
    if (video.videoWidth !== PICTURE_WIDTH) return;
    const shownAt = performance.timeOrigin + presentationTime;
    const code = read(video);
    const capturedAt = rtpTimestamp === undefined ? undefined : capturedNear(shownAt, rtpTimestamp);
    const agrees = code !== null && capturedAt !== undefined && isSame(code, capturedAt);
    shown({
      shownAt,
      ageMs: agrees ? shownAt - capturedAt : null,
      marker: code?.marker ?? null,
      code: code?.time ?? null,
      rtp: rtpTimestamp ?? null,
      receivedAt: receiveTime === undefined ? null : performance.timeOrigin + receiveTime,
      decodeMs: processingDuration === undefined ? null : processingDuration * 1_000,
    });
  };
  video.requestVideoFrameCallback(next);
}

/** The capture time (ms since 1970) nearest to `at` that has this RTP timestamp. */
function capturedNear(at: number, rtpTimestamp: number): number {
  const turns = Math.round((at * RTP_PER_MS - rtpTimestamp) / RTP_TURN);
  return (turns * RTP_TURN + rtpTimestamp) / RTP_PER_MS;
}

/** The code holds whole milliseconds, the timestamp is rounded too. */
function isSame(code: TimeCode, capturedAt: number): boolean {
  const apart = timeCodeAge(code, capturedAt);
  return Math.min(apart, CODE_TURN - apart) <= 1.5;
}

/** Copies only the strip: a whole picture would cost the browser more than showing it. */
function createReader(): (video: HTMLVideoElement) => TimeCode | null {
  const { y, height } = TIME_CODE;
  const strip = new OffscreenCanvas(PICTURE_WIDTH, height).getContext("2d", { willReadFrequently: true });
  const data = new Uint8ClampedArray(PICTURE_WIDTH * PICTURE_HEIGHT * 4);
  return (video) => {
    if (strip === null || video.videoWidth !== PICTURE_WIDTH) return null;
    strip.drawImage(video, 0, y, PICTURE_WIDTH, height, 0, 0, PICTURE_WIDTH, height);
    data.set(strip.getImageData(0, 0, PICTURE_WIDTH, height).data, y * PICTURE_WIDTH * 4);
    return readTimeCode({ data, width: PICTURE_WIDTH, height: PICTURE_HEIGHT, layout: "rgba" });
  };
}
