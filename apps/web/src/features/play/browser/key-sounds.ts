/** Sounds that the page makes itself, without a file (design.md section 7). */
export type KeySounds = {
  /** A button goes down; SPIN is heavier. `volume`: 0 to 1. */
  click(kind: "key" | "spin", volume: number): void;
  /** The last seconds of a countdown, a lost connection. */
  attention(volume: number): void;
  end(): void;
};

const CLICK_MS = 12;
const dB = (level: number): number => 10 ** (level / 20);

/** Made at the first sound, which follows a gesture, as browsers require. */
export function createKeySounds(makeContext: () => AudioContext = () => new AudioContext()): KeySounds {
  let made: AudioContext | undefined;

  function play(volume: number, level: number, build: (context: AudioContext, out: AudioNode) => void): void {
    if (volume <= 0) return;
    made ??= makeContext();
    if (made.state === "suspended") void made.resume();
    const out = new GainNode(made, { gain: volume * dB(level) });
    out.connect(made.destination);
    build(made, out);
  }

  return {
    click(kind, volume) {
      play(volume, -18, (context, out) => {
        noise(context, out);
        if (kind === "spin") sine(context, out, { from: 140, to: 90, atMs: 0, forMs: 70 });
      });
    },
    attention(volume) {
      play(volume, -20, (context, out) => {
        for (const atMs of [0, 140]) sine(context, out, { from: 660, to: 660, atMs, forMs: 80 });
      });
    },
    end: () => void made?.close(),
  };
}

/** 12 ms of noise through a band-pass at 2.2 kHz: always the same noise, like a button. */
function noise(context: AudioContext, out: AudioNode): void {
  const length = Math.ceil((context.sampleRate * CLICK_MS) / 1_000);
  const buffer = new AudioBuffer({ length, sampleRate: context.sampleRate });
  const samples = buffer.getChannelData(0);
  let seed = 22_222;
  for (let index = 0; index < length; index += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    samples[index] = (seed / 2 ** 31 - 1) * (1 - index / length);
  }
  const source = new AudioBufferSourceNode(context, { buffer });
  source.connect(new BiquadFilterNode(context, { type: "bandpass", frequency: 2_200, Q: 1 })).connect(out);
  source.start();
}

function sine(
  context: AudioContext,
  out: AudioNode,
  { from, to, atMs, forMs }: { from: number; to: number; atMs: number; forMs: number },
): void {
  const start = context.currentTime + atMs / 1_000;
  const end = start + forMs / 1_000;
  const tone = new OscillatorNode(context, { frequency: from });
  const fade = new GainNode(context, { gain: 1 });
  tone.frequency.linearRampToValueAtTime(to, end);
  fade.gain.setValueAtTime(1, start);
  fade.gain.linearRampToValueAtTime(0, end);
  tone.connect(fade).connect(out);
  tone.start(start);
  tone.stop(end);
}
