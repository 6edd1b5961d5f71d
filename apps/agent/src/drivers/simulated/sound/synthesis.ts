import { SOUND_SAMPLE_RATE } from "../../../ports/source.ts";
import { randomOf } from "../game/random.ts";

/** One sound, mono, −1 to 1. */
export type Sound = Float32Array;
export type SoundName = "reel" | "stop" | "win" | "bigWin" | "coin" | "pick" | "bell" | "key";

function render(ms: number, sample: (seconds: number, index: number) => number): Sound {
  const length = Math.round((ms / 1_000) * SOUND_SAMPLE_RATE);
  const out = new Float32Array(length);
  for (let n = 0; n < length; n += 1) {
    // A few samples of fade at both ends, so that nothing clicks that should not.
    const edge = Math.min(1, n / 48, (length - n) / 240);
    out[n] = sample(n / SOUND_SAMPLE_RATE, n) * edge;
  }
  return out;
}

const tone = (frequency: number, seconds: number): number => Math.sin(2 * Math.PI * frequency * seconds);

/** A struck bar: a tone with two partials above it, each dying away faster. */
function chime(frequency: number, seconds: number): number {
  if (seconds < 0) return 0;
  const low = tone(frequency, seconds) * Math.exp(-seconds * 5);
  return (
    0.62 * low +
    0.26 * tone(frequency * 2.76, seconds) * Math.exp(-seconds * 9) +
    0.12 * tone(frequency * 5.4, seconds) * Math.exp(-seconds * 16)
  );
}

/** Noise with its high end taken off, the same every time. */
function softNoise(length: number): Float32Array {
  const random = randomOf("sound", "noise");
  const out = new Float32Array(length);
  let low = 0;
  for (let n = 0; n < length; n += 1) {
    low += 0.18 * (random.whole(65_536) / 32_768 - 1 - low);
    out[n] = low;
  }
  return out;
}

const melody = (notes: readonly number[], gapMs: number, tailMs: number, base: number): Sound =>
  render(notes.length * gapMs + tailMs, (seconds) =>
    notes.reduce((sum, note, n) => sum + 0.34 * chime(base * 2 ** (note / 12), seconds - (n * gapMs) / 1_000), 0),
  );

/** Makes all sounds of a machine; `base` is its key note in Hz. Done once. */
export function synthesise(base: number): Readonly<Record<SoundName, Sound>> {
  const noise = softNoise(SOUND_SAMPLE_RATE / 2);
  const hiss = (index: number): number => noise[index % noise.length] ?? 0;
  // Eleven ticks a second over a hum; exactly a whole number of both, so that it loops without a seam.
  const period = SOUND_SAMPLE_RATE / 2 / 11;
  const reel = Float32Array.from({ length: SOUND_SAMPLE_RATE / 2 }, (_, n) => {
    const since = (n % period) / SOUND_SAMPLE_RATE;
    return 0.5 * hiss(n) * Math.exp(-since * 70) + 0.035 * tone(110, n / SOUND_SAMPLE_RATE);
  });
  return {
    reel,
    stop: render(150, (s, n) => 0.75 * tone(120 - 260 * s, s) * Math.exp(-s * 34) + 0.9 * hiss(n) * Math.exp(-s * 120)),
    win: melody([0, 4, 7, 12], 95, 700, base),
    bigWin: melody([0, 4, 7, 12, 7, 12, 16, 19, 16, 19, 24], 110, 1_200, base),
    coin: render(260, (s) => 0.3 * chime(base * 4.02, s) + 0.22 * chime(base * 5.37, s - 0.035)),
    pick: melody([7, 14], 70, 500, base),
    bell: melody([12, 12, 12, 12], 160, 600, base),
    key: render(60, (s, n) => 0.3 * tone(420, s) * Math.exp(-s * 80) + 0.4 * hiss(n) * Math.exp(-s * 160)),
  };
}
