import {
  AV_PIX_FMT_YUV420P,
  CodecContext,
  Dictionary,
  FFmpegError,
  Frame,
  Packet,
  Rational,
  SoftwareScaleContext,
  SWS_AREA,
} from "node-av";
import type { Glass, VideoFrame } from "../../ports/source.ts";
import { findEncoder, takePacket } from "./av.ts";

/** Size of a lobby still, pixels. */
export const STILL_WIDTH = 640;
export const STILL_HEIGHT = 400;
const QUALITY = "78";

/** A WebP of 640 × 400 around `glass`, else from the middle of a frame, on worker threads. Rejects with a sentence when libwebp is missing. */
export function encodeStill(image: VideoFrame, glass?: Glass): Promise<Buffer> {
  const middle = cropToShape(image, STILL_WIDTH / STILL_HEIGHT, glass);
  return encodeScaled(middle, STILL_WIDTH, STILL_HEIGHT);
}

/** A WebP of a whole frame, at most 640 pixels wide, in its own shape. Rejects as `encodeStill` does. */
export function encodeWhole(image: VideoFrame): Promise<Buffer> {
  const width = Math.min(image.width, STILL_WIDTH);
  const height = Math.max(2, Math.round((image.height * width) / image.width / 2) * 2);
  return encodeScaled({ ...image, data: Buffer.from(image.data) }, width, height);
}

type Pixels = { readonly width: number; readonly height: number; readonly data: Buffer };

/** Memory that a frame refers to while it is scaled. The frame does not keep it, and a collected buffer would crash the process. */
const held = new Set<Buffer>();

async function encodeScaled(image: Pixels, width: number, height: number): Promise<Buffer> {
  const large = videoFrame(image.width, image.height);
  const small = videoFrame(width, height);
  const scaler = new SoftwareScaleContext();
  held.add(image.data);
  try {
    FFmpegError.throwIfError(large.fromBuffer(image.data), "fromBuffer");
    scaler.getContext(image.width, image.height, AV_PIX_FMT_YUV420P, width, height, AV_PIX_FMT_YUV420P, SWS_AREA);
    FFmpegError.throwIfError(await scaler.scaleFrame(small, large), "scaleFrame");
    return await encodeWebp(small);
  } finally {
    scaler.freeContext();
    large.free();
    small.free();
    held.delete(image.data);
  }
}

async function encodeWebp(frame: Frame): Promise<Buffer> {
  const codec = findEncoder("libwebp");
  const context = new CodecContext();
  context.allocContext3(codec);
  const packet = new Packet();
  packet.alloc();
  try {
    context.width = frame.width;
    context.height = frame.height;
    context.pixelFormat = AV_PIX_FMT_YUV420P;
    context.timeBase = new Rational(1, 1);
    FFmpegError.throwIfError(await context.open2(codec, Dictionary.fromObject({ quality: QUALITY })), "open2");
    frame.pts = 0n;
    FFmpegError.throwIfError(await context.sendFrame(frame), "sendFrame");
    await context.sendFrame(null);
    const bytes = takePacket(context, packet);
    if (!bytes) throw new Error("The WebP encoder gave no image; take the still again.");
    return bytes;
  } finally {
    packet.free();
    context.freeContext();
  }
}

function videoFrame(width: number, height: number): Frame {
  const frame = new Frame();
  frame.alloc();
  frame.format = AV_PIX_FMT_YUV420P;
  frame.width = width;
  frame.height = height;
  FFmpegError.throwIfError(frame.getBuffer(), "getBuffer");
  return frame;
}

const WHOLE: Glass = { x: 0, y: 0, width: 1, height: 1 };

/**
 * The part of the given shape (width / height) around the glass, with even edges: it contains the whole glass where the frame is large enough;
 * without a glass it is the largest middle part.
 */
export function cropToShape(image: VideoFrame, shape: number, glass: Glass = WHOLE): Pixels {
  const even = (value: number) => Math.floor(value / 2) * 2;
  const wanted = Math.max(image.width * glass.width, image.height * glass.height * shape);
  const width = Math.min(image.width, even(image.height * shape), even(wanted));
  const height = Math.min(image.height, even(width / shape));
  const start = (middle: number, length: number, whole: number) =>
    even(Math.min(Math.max(0, middle * whole - length / 2), whole - length));
  const left = start(glass.x + glass.width / 2, width, image.width);
  const top = start(glass.y + glass.height / 2, height, image.height);
  const data = Buffer.alloc((width * height * 3) / 2);
  let from = 0;
  let to = 0;
  for (const scale of [1, 2, 2]) {
    const stride = image.width / scale;
    for (let row = 0; row < height / scale; row += 1) {
      const start = from + (row + top / scale) * stride + left / scale;
      data.set(image.data.subarray(start, start + width / scale), to);
      to += width / scale;
    }
    from += stride * (image.height / scale);
  }
  return { width, height, data };
}
