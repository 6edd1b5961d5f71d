import {
  AV_FRAME_DATA_VIDEO_HINT,
  AV_PICTURE_TYPE_I,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_YUV420P,
  AV_VIDEO_HINT_TYPE_CHANGED,
  AVCOL_PRI_SMPTE170M,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_TRC_SMPTE170M,
  CodecContext,
  Dictionary,
  FFmpegError,
  Frame,
  Packet,
  Rational,
} from "node-av";
import type { Picture, PicturePlace } from "../../ports/source.ts";
import { VIDEO_CLOCK_HZ } from "../rtp/timestamps.ts";
import { findEncoder, takePacket } from "./av.ts";
import type { VideoEncoderSettings } from "./video-options.ts";
import { codecOptions, ENCODER_NAMES, GOP_PICTURES, rateBufferOf, SLICES } from "./video-options.ts";

export interface EncodedPicture {
  /** Annex B for H.264, one frame for VP8. */
  readonly unit: Buffer;
  readonly keyFrame: boolean;
  readonly capturedAtMs: number;
}

export interface VideoEncoder {
  /** True while a picture is being encoded: the next one is to be dropped, not queued. */
  readonly busy: boolean;
  /**
   * Encodes on a worker thread. What changed of the picture's data is copied before this returns. `changed`: the only places in which it differs from the
   * picture that was encoded before it; null, and by default, any may. Null when the encoder kept it for itself. Rejects when called while
   * busy or after close.
   */
  encode(picture: Picture, keyFrame: boolean, changed?: readonly PicturePlace[] | null): Promise<EncodedPicture | null>;
  /** Bit/s, from the next picture on. VP8 cannot change while open, so it re-opens when the step is worth a key frame. */
  setBitrate(bitsPerSecond: number): void;
  /** Waits for the picture under way. */
  close(): Promise<void>;
}

/** A VP8 encoder is re-opened for a change of this share, and not before this many pictures. */
const REOPEN_SHARE = 0.2;
const REOPEN_PICTURES = 60;

/** Opens an encoder. Rejects with a sentence when the codec is missing or refuses the settings. */
export async function createVideoEncoder(settings: VideoEncoderSettings): Promise<VideoEncoder> {
  const { width, height } = settings;
  const staging = Buffer.alloc((width * height * 3) / 2);
  const frame = makeFrame(settings);
  const packet = new Packet();
  packet.alloc();
  let context = await openContext(settings, settings.bitrate);
  let openBitrate = settings.bitrate;
  let wantedBitrate = settings.bitrate;
  let pictures = 0;
  let closed = false;
  let running: Promise<unknown> | null = null;
  /** Nothing is in `staging` yet. */
  let fresh = true;

  const applyBitrate = async () => {
    if (wantedBitrate === openBitrate) return;
    if (settings.codec === "vp8") {
      const worth = Math.abs(wantedBitrate - openBitrate) > openBitrate * REOPEN_SHARE;
      if (!worth || pictures < REOPEN_PICTURES) return;
      const next = await openContext(settings, wantedBitrate);
      context.freeContext();
      context = next;
      pictures = 0;
    } else setRate(context, settings, wantedBitrate);
    openBitrate = wantedBitrate;
  };

  const run = async (capturedAtMs: number, keyFrame: boolean): Promise<EncodedPicture | null> => {
    await applyBitrate();
    FFmpegError.throwIfError(frame.fromBuffer(staging), "fromBuffer");
    frame.pts = BigInt(Math.round((capturedAtMs * VIDEO_CLOCK_HZ) / 1000));
    frame.pictType = keyFrame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    FFmpegError.throwIfError(await context.sendFrame(frame), "sendFrame");
    pictures += 1;
    const unit = takePacket(context, packet);
    const isKey = packet.isKeyframe;
    packet.unref();
    return unit && { unit, keyFrame: isKey, capturedAtMs };
  };

  return {
    get busy() {
      return running !== null;
    },
    encode(picture, keyFrame, changed = null) {
      if (closed || running) return Promise.reject(new Error("The video encoder is busy or closed; drop the picture."));
      copyChanged(staging, picture, fresh ? null : changed);
      fresh = false;
      if (settings.codec === "h264") tellChanged(frame, changed);
      const done = run(picture.capturedAtMs, keyFrame).finally(() => {
        running = null;
      });
      running = done;
      return done;
    },
    setBitrate(bitsPerSecond) {
      wantedBitrate = Math.round(bitsPerSecond);
    },
    async close() {
      if (closed) return;
      closed = true;
      await running?.catch(() => undefined);
      context.freeContext();
      packet.free();
      frame.free();
    },
  };
}

function makeFrame({ width, height }: VideoEncoderSettings): Frame {
  const frame = new Frame();
  frame.alloc();
  frame.format = AV_PIX_FMT_YUV420P;
  frame.width = width;
  frame.height = height;
  FFmpegError.throwIfError(frame.getBuffer(), "getBuffer");
  return frame;
}

async function openContext(settings: VideoEncoderSettings, bitrate: number): Promise<CodecContext> {
  const codec = findEncoder(ENCODER_NAMES[settings.codec]);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.width = settings.width;
  context.height = settings.height;
  context.pixelFormat = AV_PIX_FMT_YUV420P;
  context.timeBase = new Rational(1, VIDEO_CLOCK_HZ);
  context.framerate = new Rational(Math.round(settings.frameRate), 1);
  context.gopSize = GOP_PICTURES;
  context.maxBFrames = 0;
  context.threadCount = settings.codec === "h264" ? SLICES : 1;
  // Said in the stream, or the browser guesses by the size of the picture and the colours shift.
  context.colorSpace = AVCOL_SPC_SMPTE170M;
  context.colorPrimaries = AVCOL_PRI_SMPTE170M;
  context.colorTrc = AVCOL_TRC_SMPTE170M;
  context.colorRange = AVCOL_RANGE_MPEG;
  setRate(context, settings, bitrate);
  FFmpegError.throwIfError(await context.open2(codec, Dictionary.fromObject(codecOptions(settings))), "open2");
  return context;
}

function setRate(context: CodecContext, settings: VideoEncoderSettings, bitrate: number): void {
  context.bitRate = BigInt(bitrate);
  context.rcMaxRate = BigInt(bitrate);
  context.rcBufferSize = rateBufferOf(settings, bitrate);
}

/** FFmpeg's AVVideoHint: three sizes and an int, then a rectangle of four 32 bit numbers for each place. */
const HEAD_BYTES = 32;
const PLACE_BYTES = 16;

/**
 * Marks for x264 (with its option `mb_info`) which places differ from the last frame; macroblocks outside are taken over without a look
 * as soon as they are as sharp as the bitrate allows. Null: any may differ.
 */
function tellChanged(frame: Frame, places: readonly PicturePlace[] | null): void {
  // The frame object is used again, and its marks would be used with it.
  frame.removeSideData(AV_FRAME_DATA_VIDEO_HINT);
  if (places === null) return;
  const hint = frame.newSideData(AV_FRAME_DATA_VIDEO_HINT, HEAD_BYTES + PLACE_BYTES * places.length);
  hint.fill(0);
  hint.writeBigUInt64LE(BigInt(places.length), 0);
  hint.writeBigUInt64LE(BigInt(HEAD_BYTES), 8);
  hint.writeBigUInt64LE(BigInt(PLACE_BYTES), 16);
  hint.writeInt32LE(AV_VIDEO_HINT_TYPE_CHANGED, 24);
  for (const [n, { x, y, width, height }] of places.entries()) {
    const left = Math.max(0, x);
    const top = Math.max(0, y);
    const right = Math.max(left, Math.min(frame.width, x + width));
    const bottom = Math.max(top, Math.min(frame.height, y + height));
    const at = HEAD_BYTES + n * PLACE_BYTES;
    hint.writeUInt32LE(left, at);
    hint.writeUInt32LE(top, at + 4);
    hint.writeUInt32LE(right - left, at + 8);
    hint.writeUInt32LE(bottom - top, at + 12);
  }
}

/**
 * Brings `to`, which holds the picture that was encoded last, to `picture`: the rows in which it may have changed, over their whole width, for that is
 * one copy of each plane. Null: all of them.
 */
export function copyChanged(to: Uint8Array, picture: Picture, places: readonly PicturePlace[] | null): void {
  const { width, height, data } = picture;
  if (places === null) {
    to.set(data);
    return;
  }
  let [top, bottom] = [height, 0];
  for (const place of places) {
    top = Math.min(top, Math.max(0, place.y));
    bottom = Math.max(bottom, Math.min(height, place.y + place.height));
  }
  if (top >= bottom) return;
  // Two rows have one of each colour.
  [top, bottom] = [top - (top % 2), bottom + (bottom % 2)];
  const luma = width * height;
  const copy = (from: number, till: number): void => to.set(data.subarray(from, till), from);
  copy(top * width, bottom * width);
  for (const plane of [luma, luma * 1.25]) copy(plane + (top * width) / 4, plane + (bottom * width) / 4);
}
