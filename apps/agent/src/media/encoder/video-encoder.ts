import {
  AV_FRAME_DATA_VIDEO_HINT,
  AV_PICTURE_TYPE_I,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_NV12,
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
import type { FrameArea, SourceFormat, VideoFrame } from "../../ports/source.ts";
import type { VideoCodec } from "../../ports/transport.ts";
import { VIDEO_CLOCK_HZ } from "../rtp/rtp.ts";
import { inOrderUnit } from "../rtp/sps.ts";
import { findEncoder, takePacket } from "./av.ts";
import type { EncoderName, HardwareEncoder } from "./h264-encoders.ts";
import { HARDWARE_ENCODERS } from "./h264-encoders.ts";

interface EncodedFrame {
  /** Annex B for H.264, one frame for VP8. */
  readonly unit: Buffer;
  readonly keyFrame: boolean;
  readonly capturedAtMs: number;
}

export interface VideoEncoder {
  /** True while a frame is being encoded: the next one is to be dropped, not queued. */
  readonly busy: boolean;
  /**
   * Encodes on a worker thread. The changed part of the frame's data is copied before this returns. `changed`: the only areas in which it differs from the
   * frame encoded before it; null, the default: any part may differ. Resolves to null when the encoder gives no packet for it. Rejects when called while
   * busy or after close.
   */
  encode(image: VideoFrame, keyFrame: boolean, changed?: readonly FrameArea[] | null): Promise<EncodedFrame | null>;
  /** Bit/s, from the next frame on. VP8 cannot change while open, so it re-opens when the step is worth a key frame. */
  setBitrate(bitsPerSecond: number): void;
  /** Waits for the frame that is being encoded. */
  close(): Promise<void>;
}

/** A VP8 encoder is re-opened for a change of this share, and not before this many frames. */
const REOPEN_SHARE = 0.2;
const REOPEN_PICTURES = 60;

/** Opens an encoder. Rejects with a sentence when the codec is missing or refuses the settings. */
export async function createVideoEncoder(settings: VideoEncoderSettings): Promise<VideoEncoder> {
  const { width, height } = settings;
  const staging = Buffer.alloc((width * height * 3) / 2);
  const copy = hardwareOf(settings)?.layout === "nv12" ? copyInterleaved : copyChanged;
  const takesMarks = isX264(settings);
  const frame = makeFrame(settings);
  const packet = new Packet();
  packet.alloc();
  const codec = await openCodec(settings);
  let wantedBitrate = settings.bitrate;
  let closed = false;
  let running: Promise<unknown> | null = null;
  /** Nothing is in `staging` yet. */
  let fresh = true;

  const run = async (capturedAtMs: number, keyFrame: boolean): Promise<EncodedFrame | null> => {
    const context = await codec.readyFor(wantedBitrate, keyFrame);
    FFmpegError.throwIfError(frame.fromBuffer(staging), "fromBuffer");
    frame.pts = BigInt(Math.round((capturedAtMs * VIDEO_CLOCK_HZ) / 1000));
    frame.pictType = keyFrame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    FFmpegError.throwIfError(await context.sendFrame(frame), "sendFrame");
    const unit = takePacket(context, packet);
    const isKey = packet.isKeyframe;
    packet.unref();
    const isSet = unit !== null && isKey && settings.codec === "h264";
    return unit && { unit: isSet ? inOrderUnit(unit) : unit, keyFrame: isKey, capturedAtMs };
  };

  return {
    get busy() {
      return running !== null;
    },
    encode(image, keyFrame, changed = null) {
      if (closed || running) return Promise.reject(new Error("The video encoder is busy or closed; drop the image."));
      copy(staging, image, fresh ? null : changed);
      fresh = false;
      if (takesMarks) markChanged(frame, changed);
      const done = run(image.capturedAtMs, keyFrame).finally(() => {
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
      codec.close();
      packet.free();
      frame.free();
    },
  };
}

/** The codec of an encoder. It is opened anew for what it cannot do while it is open. */
async function openCodec(settings: VideoEncoderSettings) {
  let context = await openContext(settings, settings.bitrate);
  let openBitrate = settings.bitrate;
  let frames = 0;

  const reopen = async (bitrate: number) => {
    const next = await openContext(settings, bitrate);
    context.freeContext();
    context = next;
    frames = 0;
  };

  const apply = async (bitrate: number, keyFrame: boolean) => {
    if (settings.codec === "h264") {
      // Frames before it may have left the least rate buffer empty: a new one begins full.
      if (keyFrame && frames > 0 && isX264(settings) && needsLeastBuffer(settings, bitrate)) await reopen(bitrate);
      else if (bitrate !== openBitrate) setRate(context, settings, bitrate);
    } else {
      const worth = Math.abs(bitrate - openBitrate) > openBitrate * REOPEN_SHARE;
      if (!worth || frames < REOPEN_PICTURES) return;
      await reopen(bitrate);
    }
    openBitrate = bitrate;
  };

  return {
    /** The context that encodes the next frame at this bitrate (bit/s). */
    async readyFor(bitrate: number, keyFrame: boolean): Promise<CodecContext> {
      await apply(bitrate, keyFrame);
      frames += 1;
      return context;
    },
    close: () => context.freeContext(),
  };
}

const pixelFormat = (settings: VideoEncoderSettings) =>
  hardwareOf(settings)?.layout === "nv12" ? AV_PIX_FMT_NV12 : AV_PIX_FMT_YUV420P;

function makeFrame(settings: VideoEncoderSettings): Frame {
  const frame = new Frame();
  frame.alloc();
  frame.format = pixelFormat(settings);
  frame.width = settings.width;
  frame.height = settings.height;
  FFmpegError.throwIfError(frame.getBuffer(), "getBuffer");
  return frame;
}

async function openContext(settings: VideoEncoderSettings, bitrate: number): Promise<CodecContext> {
  const codec = findEncoder(hardwareOf(settings)?.ffmpeg ?? SOFTWARE[settings.codec]);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.width = settings.width;
  context.height = settings.height;
  context.pixelFormat = pixelFormat(settings);
  context.timeBase = new Rational(1, VIDEO_CLOCK_HZ);
  context.framerate = new Rational(Math.round(settings.frameRate), 1);
  context.gopSize = GOP_FRAMES;
  context.maxBFrames = 0;
  context.threadCount = isX264(settings) ? SLICES : 1;
  // Stated in the stream, or the browser guesses by the size of the frame and the colours shift.
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
 * Marks for x264 (with its option `mb_info`) which areas differ from the last frame; macroblocks outside are copied without analysis
 * as soon as they are as sharp as the bitrate allows. Null: any part may differ.
 */
function markChanged(frame: Frame, places: readonly FrameArea[] | null): void {
  // The frame object is reused, and old marks would stay in it.
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
 * Updates `to`, which holds the last encoded frame, to `frame`: copies the rows that may have changed, in their whole width, because that is
 * one copy of each plane. Null: all rows.
 */
export function copyChanged(to: Uint8Array, image: VideoFrame, places: readonly FrameArea[] | null): void {
  const { width, height, data } = image;
  if (places === null) {
    to.set(data);
    return;
  }
  const [top, bottom] = changedRows(image, places);
  if (top >= bottom) return;
  const luma = width * height;
  const copy = (from: number, till: number): void => to.set(data.subarray(from, till), from);
  copy(top * width, bottom * width);
  for (const plane of [luma, luma * 1.25]) copy(plane + (top * width) / 4, plane + (bottom * width) / 4);
}

/** As `copyChanged`, to a frame in whose second plane both colours alternate (NV12). */
export function copyInterleaved(to: Uint8Array, image: VideoFrame, places: readonly FrameArea[] | null): void {
  const { width, height, data } = image;
  const [top, bottom] = places === null ? [0, height] : changedRows(image, places);
  if (top >= bottom) return;
  const luma = width * height;
  to.set(data.subarray(top * width, bottom * width), top * width);
  for (let at = (top * width) / 4; at < (bottom * width) / 4; at += 1) {
    to[luma + 2 * at] = data[luma + at] ?? 0;
    to[luma + 2 * at + 1] = data[luma * 1.25 + at] ?? 0;
  }
}

/** The first row that may have changed, and the one after the last; even, because two rows have one of each colour. */
function changedRows({ height }: VideoFrame, places: readonly FrameArea[]): readonly [top: number, bottom: number] {
  let [top, bottom] = [height, 0];
  for (const place of places) {
    top = Math.min(top, Math.max(0, place.y));
    bottom = Math.max(bottom, Math.min(height, place.y + place.height));
  }
  return [top - (top % 2), bottom + (bottom % 2)];
}

/** Wanted size, rate and bitrate of one machine's video. */
export interface VideoProfile {
  /** Frames a second, 1 to 60; a source that gives more is thinned. */
  readonly frameRate: number;
  /** Where a new connection starts, bit/s: low, because a burst into a narrow link costs the first frame. */
  readonly bitrateStart: number;
  /** Below this the frame is useless, bit/s. */
  readonly bitrateMin: number;
  /** More buys nothing visible, bit/s. */
  readonly bitrateMax: number;
  /** x264 speed preset. */
  readonly preset: "ultrafast" | "superfast" | "veryfast";
}

/** The profile for a source; `frameRate` is the wanted rate of the settings, when there is one. */
export function videoProfile(format: SourceFormat, frameRate?: number): VideoProfile {
  const share = Math.min(1.5, Math.max(0.25, (format.width * format.height) / (1280 * 720)));
  return {
    frameRate: Math.max(1, Math.min(format.frameRate, frameRate ?? format.frameRate)),
    bitrateStart: Math.round(1_000_000 * Math.min(1, share)),
    bitrateMin: 250_000,
    bitrateMax: Math.round(3_000_000 * share),
    preset: format.painted === true ? "ultrafast" : "superfast",
  };
}

/** What a video encoder is opened with. */
export interface VideoEncoderSettings {
  readonly codec: VideoCodec;
  /** Of H.264; by default x264. */
  readonly encoder?: EncoderName | undefined;
  /** Pixels, even. */
  readonly width: number;
  /** Pixels, even. */
  readonly height: number;
  /** Frames a second. */
  readonly frameRate: number;
  /** Bit/s. */
  readonly bitrate: number;
  readonly preset: VideoProfile["preset"];
}

/** What encodes each codec of the wire on the processor, by its name in FFmpeg. */
const SOFTWARE = { h264: "libx264", vp8: "libvpx" } as const;

/** Undefined: it is encoded on the processor. */
const hardwareOf = ({ codec, encoder = "x264" }: VideoEncoderSettings): HardwareEncoder | undefined =>
  codec === "h264" && encoder !== "x264" ? HARDWARE_ENCODERS[encoder] : undefined;

const isX264 = (settings: VideoEncoderSettings): boolean =>
  settings.codec === "h264" && hardwareOf(settings) === undefined;

/**
 * Room in the rate buffer, ms of bitrate. 33 to 66 keeps a key frame near the size of the others (measured: 40 KB with
 * 200 ms, 11 to 20 KB with 33 to 66).
 */
export const RATE_BUFFER_MS = 50;
/**
 * The least rate buffer for a frame of 1280 x 720, bytes: that of the bitrate which a connection starts with. In a smaller one x264 finds no room for a key
 * frame: at 400 kbit/s and below it came out as one plain grey, and used half the bitrate to mend it for seconds.
 */
export const RATE_BUFFER_BYTES_MIN = 6_250;
const PIXELS = 1280 * 720;

type Size = Pick<VideoEncoderSettings, "width" | "height">;
const leastBuffer = ({ width, height }: Size): number =>
  RATE_BUFFER_BYTES_MIN * 8 * Math.min(1, (width * height) / PIXELS);

/** Room in the rate buffer at this bitrate (bit/s), bits. */
function rateBufferOf(size: Size, bitrate: number): number {
  return Math.round(Math.max((bitrate * RATE_BUFFER_MS) / 1000, leastBuffer(size)));
}

/** At this bitrate (bit/s) the rate buffer is no larger than one key frame needs. */
function needsLeastBuffer(size: Size, bitrate: number): boolean {
  return (bitrate * RATE_BUFFER_MS) / 1000 <= leastBuffer(size);
}

/**
 * How sharp H.264 gets where the bitrate allows it (x264's constant rate factor; 0 to 51, less is sharper). A steady sharpness below the bitrate, instead of
 * a bitrate that is always used up, makes a better frame of fewer bits and costs half the time: what stands still is passed over, while a
 * rate that swings has x264 look at all of it again.
 */
const SHARPNESS = "23";

/** Key frames are made when asked for; this is only the outer bound, frames. */
const GOP_FRAMES = 3600;

/**
 * Threads that share a frame, each with a slice of it; x264 alone. Two bring it out in little more than half the time (on a busy computer 5 ms
 * instead of 9) for the same work and a tenth more bits; four are no quicker.
 */
const SLICES = 2;

/** Private options of the codec. */
export function codecOptions(settings: VideoEncoderSettings): Record<string, string> {
  if (settings.codec === "vp8") {
    return { deadline: "realtime", "cpu-used": "8", "lag-in-frames": "0", "error-resilient": "0" };
  }
  const hardware = hardwareOf(settings);
  if (hardware !== undefined) return { ...hardware.options };
  return {
    preset: settings.preset,
    tune: "zerolatency",
    profile: "baseline",
    "forced-idr": "1",
    // The source marks the blocks that did not change: most of a slot machine is the same from frame to frame.
    mb_info: "1",
    crf: SHARPNESS,
    // scenecut=0: x264 must not insert key frames that the limiter does not know of. qcomp=1: the sharpness stays the same
    // however much moves. deblock=0,0: the quickest preset leaves visible block edges without it.
    "x264-params": "scenecut=0:sliced-threads=1:qcomp=1:deblock=0,0",
  };
}
