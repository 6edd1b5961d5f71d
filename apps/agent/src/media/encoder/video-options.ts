import type { VideoCodec } from "../../ports/transport.ts";
import type { VideoProfile } from "../rate/video-profile.ts";

/** What a video encoder is opened with. */
export interface VideoEncoderSettings {
  readonly codec: VideoCodec;
  /** Pixels, even. */
  readonly width: number;
  /** Pixels, even. */
  readonly height: number;
  /** Pictures a second. */
  readonly frameRate: number;
  /** Bit/s. */
  readonly bitrate: number;
  readonly preset: VideoProfile["preset"];
}

/** Encoder of the linked FFmpeg for each codec of the wire. */
export const ENCODER_NAMES = { h264: "libx264", vp8: "libvpx" } as const;

/**
 * Room in the rate buffer, ms of bitrate. 33 to 66 keeps a key frame near the size of the others (measured: 40 KB with
 * 200 ms, 11 to 20 KB with 33 to 66).
 */
export const RATE_BUFFER_MS = 50;
/**
 * The least rate buffer for a picture of 1280 x 720, bytes: that of the bitrate which a connection starts with. In a smaller one x264 finds no room for a key
 * frame: at 400 kbit/s and below it came out as one plain grey, and used half the bitrate to mend it for seconds.
 */
const RATE_BUFFER_BYTES_MIN = 6_250;
const PIXELS = 1280 * 720;

/** Room in the rate buffer at this bitrate (bit/s), bits. */
export function rateBufferOf({ width, height }: VideoEncoderSettings, bitrate: number): number {
  const least = RATE_BUFFER_BYTES_MIN * 8 * Math.min(1, (width * height) / PIXELS);
  return Math.round(Math.max((bitrate * RATE_BUFFER_MS) / 1000, least));
}

/**
 * How sharp H.264 gets where the bitrate allows it (x264's constant rate factor; 0 to 51, less is sharper). A steady sharpness below the bitrate, instead of
 * a bitrate that is always used up, makes a better picture of fewer bits and costs half the time: what stands still is passed over, while a
 * rate that swings has x264 look at all of it again.
 */
const SHARPNESS = "23";

/** Key frames are made when asked for; this is only the outer bound, pictures. */
export const GOP_PICTURES = 3600;

/**
 * Threads that share a picture, each with a slice of it; H.264 alone. Two bring it out in little more than half the time (on a busy computer 5 ms
 * instead of 9) for the same work and a tenth more bits; four are no quicker.
 */
export const SLICES = 2;

/** Private options of the codec. */
export function codecOptions(settings: VideoEncoderSettings): Record<string, string> {
  if (settings.codec === "vp8") {
    return { deadline: "realtime", "cpu-used": "8", "lag-in-frames": "0", "error-resilient": "0" };
  }
  return {
    preset: settings.preset,
    tune: "zerolatency",
    profile: "baseline",
    "forced-idr": "1",
    // Lets the source say what stands still: a slot machine is mostly a picture of itself.
    mb_info: "1",
    crf: SHARPNESS,
    // A scene cut of its own would make a key frame the limiter does not know of; the sharpness is to be the same
    // however much moves; and the quickest preset leaves blocks with edges, unless it is told to smooth them.
    "x264-params": "scenecut=0:sliced-threads=1:qcomp=1:deblock=0,0",
  };
}
