import type { Clock } from "../../ports/clock.ts";
import type { Source, SourceFormat, VideoFrame } from "../../ports/source.ts";
import { SOUND_BLOCK_FRAMES } from "../../ports/source.ts";

/** Bits of the capture time painted into the frame, ms modulo 2^16, as blocks of 32 pixels. */
export const TIME_BITS = 16;
export const TIME_BLOCK_PIXELS = 32;

export interface PaintedSource extends Source {
  readonly isOpen: () => boolean;
  /** Share of the frame's rows filled with noise, 0 to 1: what makes the encoder spend its whole bitrate. */
  noise: number;
}

/** A source for tests: a moving pattern, the capture time in blocks, a tone. */
export function paintedSource(clock: Clock, size: Partial<SourceFormat> = {}): PaintedSource {
  const format: SourceFormat = { width: 640, height: 360, frameRate: 30, audio: true, ...size };
  const data = new Uint8Array((format.width * format.height * 3) / 2).fill(128);
  const samples = new Int16Array(2 * SOUND_BLOCK_FRAMES);
  let frames = 0;
  let phase = 0;
  let dice = 1;
  let isOpen = false;

  const paint = (): VideoFrame => {
    const capturedAtMs = clock.now();
    frames += 1;
    for (let y = 80; y < 280; y += 1) {
      const row = y * format.width;
      for (let x = 100; x < 540; x += 1) data[row + x] = 30 + (((x + frames * 11) ^ (y + frames * 5)) & 127);
    }
    const noisy = Math.floor((format.height - 280) * source.noise) * format.width;
    for (let at = 280 * format.width; at < 280 * format.width + noisy; at += 1) {
      dice = (dice * 1_103_515_245 + 12_345) & 0x7fffffff;
      data[at] = 100 + ((dice >> 16) & 31);
    }
    const time = Math.floor(capturedAtMs) & 0xffff;
    for (let bit = 0; bit < TIME_BITS; bit += 1) {
      const luma = time & (1 << bit) ? 220 : 30;
      for (let y = 0; y < TIME_BLOCK_PIXELS; y += 1) {
        const from = y * format.width + bit * TIME_BLOCK_PIXELS;
        data.fill(luma, from, from + TIME_BLOCK_PIXELS);
      }
    }
    return { width: format.width, height: format.height, data, capturedAtMs };
  };

  const source: PaintedSource = {
    format,
    noise: 0,
    isOpen: () => isOpen,
    async open(sink) {
      if (isOpen) throw new Error("The painted source is open already.");
      isOpen = true;
      const stopVideo = clock.every(1000 / format.frameRate, () => sink.video(paint()));
      const stopAudio = clock.every(20, () => {
        for (let at = 0; at < samples.length; at += 2) {
          phase += (2 * Math.PI * 440) / 48_000;
          samples[at] = samples[at + 1] = 9000 * Math.sin(phase);
        }
        sink.audio({ samples, capturedAtMs: clock.now() });
      });
      return {
        async close() {
          isOpen = false;
          stopVideo();
          stopAudio();
        },
      };
    },
    still: async () => {
      const frame = paint();
      return { ...frame, data: frame.data.slice() };
    },
  };
  return source;
}
