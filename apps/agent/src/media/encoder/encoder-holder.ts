import type { Clock } from "../../ports/clock.ts";
import type { SourceFormat } from "../../ports/source.ts";
import type { VideoCodec } from "../../ports/transport.ts";
import type { VideoProfile } from "../rate/video-profile.ts";
import type { VideoEncoder } from "./video-encoder.ts";
import { createVideoEncoder } from "./video-encoder.ts";

/** A failed encoder is opened again after this, ms. */
const RETRY_MS = 1_000;

export interface EncoderHolderDeps {
  readonly clock: Clock;
  readonly codec: VideoCodec;
  readonly format: SourceFormat;
  readonly profile: VideoProfile;
  problem(sentence: string): void;
}

/** One encoder, opened when it is first needed and again after it failed. */
export function createEncoderHolder(deps: EncoderHolderDeps) {
  const { clock, codec, profile } = deps;
  let encoder: VideoEncoder | null = null;
  let opening: Promise<void> | null = null;
  let retryAtMs = 0;
  let bitrate = profile.bitrateStart;
  let closed = false;

  const failed = (broken: VideoEncoder | null, error: unknown) => {
    if (encoder !== broken) return;
    encoder = null;
    retryAtMs = clock.now() + RETRY_MS;
    void broken?.close();
    deps.problem(`The ${codec} encoder failed: ${error instanceof Error ? error.message : String(error)}`);
  };
  const open = async () => {
    const { width, height } = deps.format;
    const { frameRate, preset } = profile;
    try {
      const opened = await createVideoEncoder({ codec, width, height, frameRate, preset, bitrate });
      if (closed) await opened.close();
      else encoder = opened;
      encoder?.setBitrate(bitrate);
    } catch (error) {
      failed(null, error);
    }
    opening = null;
  };

  return {
    /** The encoder, or null while it opens; the picture is dropped then. */
    ready(): VideoEncoder | null {
      if (!encoder && !opening && !closed && clock.now() >= retryAtMs) opening = open();
      return encoder;
    },
    failed,
    bitrate: () => bitrate,
    setBitrate(bitsPerSecond: number): void {
      bitrate = bitsPerSecond;
      encoder?.setBitrate(bitsPerSecond);
    },
    async close(): Promise<void> {
      closed = true;
      await opening;
      await encoder?.close();
      encoder = null;
    },
  };
}
