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
/** Key frames are made when asked for; this is only the outer bound, pictures. */
export const GOP_PICTURES = 3600;

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
    // A scene cut of its own would make a key frame the limiter does not know of; one slice a picture packs best.
    "x264-params": "scenecut=0:sliced-threads=0",
  };
}
