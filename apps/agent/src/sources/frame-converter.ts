import {
  AV_PIX_FMT_YUV420P,
  AVCOL_PRI_SMPTE170M,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_TRC_SMPTE170M,
  FFmpegError,
  Frame,
  SoftwareScaleContext,
} from "node-av";
import type { Size } from "../config/pictures.ts";
import type { VideoFrame } from "../ports/source.ts";

/** A shape may be off by this much before bars are put beside it: 1280 × 720 of a camera with 1280 × 722. */
const SHAPE_TOLERANCE = 0.02;

type Taken = Pick<VideoFrame, "capturedAtMs" | "clock">;

/** Makes I420 frames of one size out of whatever FFmpeg's decoder gives. */
export interface FrameConverter {
  /** Takes ownership of the frame. While one is being converted only the newest waits; an older one is dropped. */
  take(frame: Frame, taken: Taken): void;
  /** Frames dropped because a newer one arrived. */
  readonly dropped: number;
  close(): Promise<void>;
}

interface Inner {
  readonly size: Size;
  readonly from: Size;
  readonly frame: Frame;
}

export function createFrameConverter(
  size: Size,
  deliver: (frame: VideoFrame) => void,
  failed: (error: unknown) => void,
): FrameConverter {
  const scaler = new SoftwareScaleContext();
  scaler.allocContext();
  const part = createPart(size);
  let waiting: { frame: Frame; taken: Taken } | null = null;
  let running: Promise<void> | null = null;
  let dropped = 0;
  let closed = false;

  const convert = async (frame: Frame, taken: Taken) => {
    const to = part.for(frame);
    FFmpegError.throwIfError(await scaler.scaleFrame(to.frame, frame), "scaleFrame");
    if (!closed) deliver({ ...size, data: part.framed(to), ...taken });
  };
  const run = async () => {
    while (waiting !== null) {
      const { frame, taken } = waiting;
      waiting = null;
      try {
        await convert(frame, taken);
      } catch (error) {
        if (!closed) failed(error);
      } finally {
        frame.free();
      }
    }
    running = null;
  };

  return {
    take(frame, taken) {
      if (closed) {
        frame.free();
        return;
      }
      if (waiting !== null) {
        waiting.frame.free();
        dropped += 1;
      }
      waiting = { frame, taken };
      running ??= run();
    },
    get dropped() {
      return dropped;
    },
    async close() {
      closed = true;
      waiting?.frame.free();
      waiting = null;
      await running;
      part.free();
      scaler.freeContext();
    },
  };
}

/** The part of the output that frames of the present shape fill; the rest is black. */
function createPart(size: Size) {
  const black = blackFrame(size);
  let inner: Inner | null = null;
  return {
    for(frame: Frame): Inner {
      const from = { width: frame.width, height: frame.height };
      if (inner?.from.width === from.width && inner.from.height === from.height) return inner;
      inner?.frame.free();
      black.set(blackFrame(size));
      const part = fitted(from, size);
      inner = { size: part, from, frame: targetFrame(part) };
      return inner;
    },
    /** The whole output frame, once the part has been filled. */
    framed({ frame, size: part }: Inner): Uint8Array {
      const pixels = frame.toBuffer();
      if (part.width === size.width && part.height === size.height) return pixels;
      layInMiddle(black, size, pixels, part);
      return black;
    },
    free(): void {
      inner?.frame.free();
      inner = null;
    },
  };
}

/** Colours as the port promises them; the scaler converts from the frame's own colour description. */
function targetFrame({ width, height }: Size): Frame {
  const frame = new Frame();
  frame.alloc();
  frame.format = AV_PIX_FMT_YUV420P;
  frame.width = width;
  frame.height = height;
  frame.colorRange = AVCOL_RANGE_MPEG;
  frame.colorSpace = AVCOL_SPC_SMPTE170M;
  frame.colorPrimaries = AVCOL_PRI_SMPTE170M;
  frame.colorTrc = AVCOL_TRC_SMPTE170M;
  FFmpegError.throwIfError(frame.getBuffer(), "getBuffer");
  return frame;
}

function blackFrame({ width, height }: Size): Uint8Array {
  const luma = width * height;
  return new Uint8Array(luma * 1.5).fill(16, 0, luma).fill(128, luma);
}

/** The largest part of a size with the shape of a frame, edges in steps of four so that it can be centred. */
function fitted(from: Size, into: Size): Size {
  const ratio = (from.width * into.height) / (from.height * into.width);
  if (Math.abs(ratio - 1) <= SHAPE_TOLERANCE) return into;
  const step = (value: number) => Math.max(4, Math.floor(value / 4) * 4);
  return ratio > 1
    ? { width: into.width, height: step(into.height / ratio) }
    : { width: step(into.width * ratio), height: into.height };
}

function layInMiddle(to: Uint8Array, size: Size, pixels: Uint8Array, inner: Size): void {
  const even = (value: number) => Math.floor(value / 4) * 2;
  const left = even(size.width - inner.width);
  const top = even(size.height - inner.height);
  let from = 0;
  let plane = 0;
  for (const scale of [1, 2, 2]) {
    const stride = size.width / scale;
    for (let row = 0; row < inner.height / scale; row += 1) {
      to.set(pixels.subarray(from, from + inner.width / scale), plane + (row + top / scale) * stride + left / scale);
      from += inner.width / scale;
    }
    plane += stride * (size.height / scale);
  }
}
