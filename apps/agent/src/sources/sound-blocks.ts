import { AV_CHANNEL_LAYOUT_STEREO, AV_SAMPLE_FMT_S16, FFmpegError, Frame, SoftwareResampleContext } from "node-av";
import type { SoundBlock } from "../ports/source.ts";
import { SOUND_BLOCK_FRAMES, SOUND_SAMPLE_RATE } from "../ports/source.ts";

const BLOCK_VALUES = SOUND_BLOCK_FRAMES * 2;
const MS_PER_VALUE = 1_000 / (SOUND_SAMPLE_RATE * 2);

/** Makes blocks of 20 ms, 48 kHz stereo, out of whatever sound comes. */
export interface SoundBlocks {
  /** Takes the frame over. */
  take(frame: Frame, capturedAtMs: number): void;
  close(): void;
}

export function createSoundBlocks(deliver: (block: SoundBlock) => void, failed: (error: unknown) => void): SoundBlocks {
  const block = new Int16Array(BLOCK_VALUES);
  let filled = 0;
  let resampler: { context: SoftwareResampleContext; form: string } | null = null;

  const resamplerFor = (frame: Frame): SoftwareResampleContext => {
    const form = `${frame.format} ${frame.sampleRate} ${frame.channels}`;
    if (resampler?.form === form) return resampler.context;
    resampler?.context.free();
    const context = new SoftwareResampleContext();
    const { channelLayout, format, sampleRate } = frame;
    const made = context.allocSetOpts2(
      AV_CHANNEL_LAYOUT_STEREO,
      AV_SAMPLE_FMT_S16,
      SOUND_SAMPLE_RATE,
      channelLayout,
      format as typeof AV_SAMPLE_FMT_S16,
      sampleRate,
    );
    FFmpegError.throwIfError(made, "allocSetOpts2");
    FFmpegError.throwIfError(context.init(), "init");
    resampler = { context, form };
    return context;
  };
  const samplesOf = (frame: Frame): Int16Array => {
    const out = new Frame();
    out.alloc();
    try {
      out.format = AV_SAMPLE_FMT_S16;
      out.sampleRate = SOUND_SAMPLE_RATE;
      out.channelLayout = AV_CHANNEL_LAYOUT_STEREO;
      FFmpegError.throwIfError(resamplerFor(frame).convertFrame(out, frame), "convertFrame");
      const bytes = Uint8Array.from(out.data?.[0]?.subarray(0, out.nbSamples * 4) ?? []);
      return new Int16Array(bytes.buffer);
    } finally {
      out.free();
    }
  };

  return {
    take(frame, capturedAtMs) {
      try {
        const samples = samplesOf(frame);
        let at = capturedAtMs - filled * MS_PER_VALUE;
        for (let from = 0; from < samples.length; ) {
          const part = samples.subarray(from, from + BLOCK_VALUES - filled);
          block.set(part, filled);
          filled += part.length;
          from += part.length;
          if (filled < BLOCK_VALUES) break;
          filled = 0;
          deliver({ samples: block, capturedAtMs: at });
          at += BLOCK_VALUES * MS_PER_VALUE;
        }
      } catch (error) {
        failed(error);
      } finally {
        frame.free();
      }
    },
    close() {
      resampler?.context.free();
      resampler = null;
    },
  };
}
