import { SOUND_BLOCK_FRAMES } from "../../../ports/source.ts";
import type { Sound } from "./synthesis.ts";

type Voice = { sound: Sound; at: number; gain: number; pan: number; loop: boolean };

/** Sums what sounds now into stereo blocks of 20 ms. */
export type Mixer = {
  /** `pan` −1 left to 1 right. `delay` in samples. Answers how to end it (with the current block). */
  start(sound: Sound, options?: { gain?: number; pan?: number; loop?: boolean; delay?: number }): () => void;
  /** Fills the block (960 pairs) and moves on. */
  mix(into: Int16Array): void;
};

/** More at once would only be noise. */
const VOICES_MAX = 16;

/**
 * Keeps many voices at once below full scale without a hard edge: tanh as a fraction of polynomials, which meets 1 with a slope of 0 at 3. The real one is a
 * tenth of what painting costs, 96,000 times a second.
 */
function soft(sum: number): number {
  const x = Math.min(3, Math.max(-3, sum));
  return (x * (27 + x * x)) / (27 + 9 * x * x);
}

export function createMixer(): Mixer {
  let voices: Voice[] = [];
  const sum = new Float32Array(SOUND_BLOCK_FRAMES * 2);
  const add = (voice: Voice): void => {
    const left = voice.gain * Math.min(1, 1 - voice.pan);
    const right = voice.gain * Math.min(1, 1 + voice.pan);
    for (let n = 0; n < SOUND_BLOCK_FRAMES; n += 1, voice.at += 1) {
      if (voice.loop && voice.at >= voice.sound.length) voice.at = 0;
      if (voice.at < 0) continue;
      const value = voice.sound[voice.at] ?? 0;
      sum[n * 2] = (sum[n * 2] as number) + value * left;
      sum[n * 2 + 1] = (sum[n * 2 + 1] as number) + value * right;
    }
  };
  return {
    start(sound, { gain = 1, pan = 0, loop = false, delay = 0 } = {}) {
      const voice = { sound, at: -delay, gain, pan, loop };
      voices = [...voices, voice].slice(-VOICES_MAX);
      return () => {
        voices = voices.filter((one) => one !== voice);
      };
    },
    mix(into) {
      if (voices.length === 0) {
        into.fill(0);
        return;
      }
      sum.fill(0);
      for (const voice of voices) add(voice);
      voices = voices.filter((voice) => voice.loop || voice.at < voice.sound.length);
      for (let n = 0; n < into.length; n += 1) into[n] = Math.round(soft(sum[n] as number) * 28_000);
    },
  };
}
