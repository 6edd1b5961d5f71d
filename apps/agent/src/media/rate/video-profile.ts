import type { SourceFormat } from "../../ports/source.ts";

/** Wanted size, rate and bitrate of one machine's video. */
export interface VideoProfile {
  /** Pictures a second, 1 to 60; a source that gives more is thinned. */
  readonly frameRate: number;
  /** Where a new connection starts, bit/s: low, because a burst into a narrow link costs the first picture. */
  readonly bitrateStart: number;
  /** Below this the picture is useless, bit/s. */
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
