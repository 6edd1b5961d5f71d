/*
 * The encoders of H.264 that the agent can use. FFmpeg wraps more; those that cannot keep what `promises.ts` asks of an encoder are left out, and
 * docs/hardware.md says why.
 */

/** As the setting ENCODER names them. */
export const ENCODER_NAMES = ["x264", "qsv"] as const;
export type EncoderName = (typeof ENCODER_NAMES)[number];

/** All but x264, which needs nothing but a processor. */
export const HARDWARE: readonly EncoderName[] = ENCODER_NAMES.filter((name) => name !== "x264");

/** How colours lie in the memory of a frame: two planes behind that of light, or one in which both alternate. */
export type Layout = "i420" | "nv12";

/** How a hardware encoder is opened. Size, rate, rate buffer, and no frame that needs a later one, are set for every encoder. */
export interface HardwareEncoder {
  /** Its name in FFmpeg. */
  readonly ffmpeg: string;
  readonly layout: Layout;
  /** Private options of the codec, and `strict`. */
  readonly options: Readonly<Record<string, string>>;
}

export const HARDWARE_ENCODERS: Readonly<Record<Exclude<EncoderName, "x264">, HardwareEncoder>> = {
  qsv: {
    ffmpeg: "h264_qsv",
    layout: "nv12",
    options: {
      preset: "veryfast",
      // Baseline (66) with the flag `constraint_set1` (0x200), as Intel's library names constrained baseline; FFmpeg has no name for it.
      profile: "578",
      // Each frame is waited for before the next is taken.
      async_depth: "1",
      forced_idr: "1",
      // No key frame at a change of scene.
      adaptive_i: "0",
      // Without conformance to the hypothetical decoder's rates Intel's library takes a new bitrate without a key frame; FFmpeg says so to it
      // only below `normal`.
      strict: "unofficial",
    },
  },
};
