import { randomOf } from "@longarm/reels/game/random";
import type { Pace } from "@longarm/reels/game/reveal";
import type { Strip } from "@longarm/reels/game/strips";
import type { BrandArt } from "@longarm/reels/picture/art";
import { prepareArt } from "@longarm/reels/picture/art";
import { stopsAt } from "@longarm/reels/picture/motion";
import { PICTURE_HEIGHT, PICTURE_WIDTH } from "@longarm/reels/picture/reading/layout";
import { createScene } from "@longarm/reels/picture/scene";
import type { Clock } from "../../ports/clock.ts";
import type { OpenSource, Source, SourceSink, VideoFrame } from "../../ports/source.ts";
import { SOUND_BLOCK_FRAMES, SOUND_BLOCK_MS, SOUND_SAMPLE_RATE } from "../../ports/source.ts";
import type { MachineView } from "./view.ts";

const FRAME_RATE = 30;
/** Sound blocks made at once after a pause of the process; older ones are let go. */
const BLOCKS_BEHIND_MAX = 5;

/** Key note of each brand, Hz. */
const KEY_NOTES: Readonly<Record<string, number>> = { nar: 523.25, kuzey: 466.16, pera: 587.33, mercan: 493.88 };

type Sounds = Readonly<Record<SoundName, Sound>>;
const artOf = new Map<string, Promise<{ art: BrandArt; sounds: Sounds }>>();

/**
 * Art and sounds are prepared once per brand and process; a failure is tried again. It holds the event loop for some 100 ms, so
 * an agent does it before it serves.
 */
export function prepare(brand: string): Promise<{ art: BrandArt; sounds: Sounds }> {
  const known = artOf.get(brand);
  if (known !== undefined) return known;
  const fresh = prepareArt(brand).then((art) => ({ art, sounds: synthesise(KEY_NOTES[brand] ?? 523.25) }));
  artOf.set(brand, fresh);
  fresh.catch(() => artOf.delete(brand));
  return fresh;
}

export type PaintedSourceOptions = {
  brand: string;
  strips: readonly Strip[];
  pace: Pace;
  timeCode: boolean;
  clock: Clock;
  view(): MachineView;
  /** Called for each press that had an effect; the player waits for the picture of it. One listener at most. */
  onPress(listener: () => void): () => void;
};

/** VideoFrame and sound of a simulated machine. Works only while it is open; a still is painted on demand. */
export function paintedSource({ brand, strips, pace, timeCode, clock, view, onPress }: PaintedSourceOptions): Source {
  let isOpen = false;

  const play = (sink: SourceSink, sounds: Sounds): (() => void) => {
    const mixer = createMixer();
    const director = createDirector(mixer, sounds, pace);
    const block = new Int16Array(SOUND_BLOCK_FRAMES * 2);
    let due = clock.now();
    return clock.every(SOUND_BLOCK_MS, () => {
      const now = clock.now();
      if (now - due > BLOCKS_BEHIND_MAX * SOUND_BLOCK_MS) due = now;
      director.show(view(), now);
      while (due <= now) {
        mixer.mix(block);
        sink.audio({ samples: block, capturedAtMs: due });
        due += SOUND_BLOCK_MS;
      }
    });
  };

  return {
    // The screen of the plate (geometry.json).
    glass: { x: 318 / 1_600, y: 176 / 900, width: 964 / 1_600, height: 566 / 900 },
    format: { width: PICTURE_WIDTH, height: PICTURE_HEIGHT, frameRate: FRAME_RATE, audio: true, painted: true },
    async open(sink): Promise<OpenSource> {
      if (isOpen) throw new Error("The machine's picture is open already; close it first.");
      isOpen = true;
      const { art, sounds } = await prepare(brand).catch((error: unknown) => {
        isOpen = false;
        throw error;
      });
      const scene = createScene({ art, strips, pace, timeCode });
      let sinceMs: number | null = null;
      const cadence = startCadence(clock, 1_000 / FRAME_RATE, (outOfTurn) => {
        const capturedAtMs = clock.now();
        const places = scene.paint(view(), capturedAtMs);
        const picture = {
          width: PICTURE_WIDTH,
          height: PICTURE_HEIGHT,
          data: scene.frame.data,
          capturedAtMs,
          outOfTurn,
        };
        // The first picture follows none that anybody has seen.
        sink.video(sinceMs === null ? picture : { ...picture, changed: { sinceMs, places } });
        sinceMs = capturedAtMs;
      });
      const stopPresses = onPress(cadence.soon);
      const stopSound = play(sink, sounds);
      return {
        soon: cadence.soon,
        async close() {
          stopPresses();
          cadence.stop();
          stopSound();
          isOpen = false;
        },
      };
    },
    async still(): Promise<VideoFrame> {
      const { art } = await prepare(brand);
      const scene = createScene({ art, strips, pace, timeCode: false });
      const capturedAtMs = clock.now();
      scene.paint(view(), capturedAtMs);
      return { width: PICTURE_WIDTH, height: PICTURE_HEIGHT, data: scene.frame.data, capturedAtMs };
    },
  };
}

/** Between a picture out of turn and those in turn lies at least this share of a period: an encoder needs it for the one before. */
const APART_SHARE = 0.3;

type Cadence = {
  /** Captures one extra frame now, unless a scheduled one is about due. Scheduled frames keep their pace. */
  soon(): void;
  stop(): void;
};

/** Takes a picture each `periodMs` (a late one is left out, not made up for), and one more on each request. */
export function startCadence(clock: Clock, periodMs: number, take: (outOfTurn: boolean) => void): Cadence {
  let takenAt = clock.now();
  let dueAt = takenAt + periodMs;
  let stopExtra: (() => void) | undefined;

  const taken = (outOfTurn: boolean): void => {
    takenAt = clock.now();
    take(outOfTurn);
  };
  const inTurn = (): void => {
    const now = clock.now();
    // By when it was due and not by when it ran, or every late timer would slow the pace down.
    dueAt = now - dueAt > periodMs ? now + periodMs : dueAt + periodMs;
    stopTurn = clock.after(Math.max(0, dueAt - now), inTurn);
    taken(false);
  };
  let stopTurn = clock.after(periodMs, inTurn);

  return {
    soon() {
      const now = clock.now();
      const at = Math.max(now, takenAt + periodMs * APART_SHARE);
      if (stopExtra !== undefined || at > dueAt - periodMs * APART_SHARE) return;
      stopExtra = clock.after(at - now, () => {
        stopExtra = undefined;
        taken(true);
      });
    },
    stop() {
      stopTurn();
      stopExtra?.();
    },
  };
}

/** A win of this many stakes gets the long melody. */
const BIG_WIN_STAKES = 15;

const samples = (ms: number): number => Math.max(0, Math.round((ms / 1_000) * SOUND_SAMPLE_RATE));

/** Listens to what the machine shows and starts the sounds that belong to it. Call `show` once per block. */
function createDirector(
  mixer: Mixer,
  sounds: Readonly<Record<SoundName, Sound>>,
  pace: Pace,
): { show(view: MachineView, nowMs: number): void } {
  let last: MachineView | null = null;
  let endReel: () => void = () => undefined;
  let reelUntil = 0;

  const startTurn = (startedAt: number, nowMs: number): void => {
    endReel();
    endReel = mixer.start(sounds.reel, { gain: 0.5, loop: true });
    reelUntil = startedAt + pace.spinMs;
    for (let reel = 0; reel < 5; reel += 1) {
      const inMs = startedAt + stopsAt({ spinMs: pace.spinMs, reel }) - nowMs;
      mixer.start(sounds.stop, { gain: 0.7, pan: (reel - 2) * 0.3, delay: samples(inMs) });
    }
  };
  const celebrate = (view: MachineView): void => {
    const { win, bet } = view.meters;
    mixer.start(win >= bet * BIG_WIN_STAKES ? sounds.bigWin : sounds.win, { gain: 0.8 });
    for (let n = 0; n < 5; n += 1)
      mixer.start(sounds.coin, { gain: 0.35, pan: n % 2 === 0 ? -0.4 : 0.4, delay: samples(90 * n + 60) });
  };
  const compare = (before: MachineView, view: MachineView, nowMs: number): void => {
    const { stage } = view;
    if (stage?.is === "spin" && (before.stage?.is !== "spin" || before.stage.spin !== stage.spin))
      startTurn(stage.startedAt, nowMs);
    if (stage?.is === "bonus" && before.stage?.is !== "bonus") mixer.start(sounds.bell, { gain: 0.7 });
    if (view.picks.length > before.picks.length) mixer.start(sounds.pick, { gain: 0.8 });
    if (before.meters.inGame && !view.meters.inGame && view.meters.win > 0) celebrate(view);
    if (view.meters.handPays.length > before.meters.handPays.length) mixer.start(sounds.bigWin, { gain: 0.9 });
    if (!view.meters.inGame && !before.meters.inGame && view.meters.credit > before.meters.credit)
      mixer.start(sounds.coin, { gain: 0.6 });
    if (view.meters.bet !== before.meters.bet) mixer.start(sounds.key, { gain: 0.6 });
  };

  return {
    show(view, nowMs) {
      if (last !== null) compare(last, view, nowMs);
      if (nowMs >= reelUntil) endReel();
      last = view;
    },
  };
}

type Voice = { sound: Sound; at: number; gain: number; pan: number; loop: boolean };

/** Sums what sounds now into stereo blocks of 20 ms. */
type Mixer = {
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

function createMixer(): Mixer {
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

/** One sound, mono, −1 to 1. */
type Sound = Float32Array;
type SoundName = "reel" | "stop" | "win" | "bigWin" | "coin" | "pick" | "bell" | "key";

function render(ms: number, sample: (seconds: number, index: number) => number): Sound {
  const length = samplesOf(ms);
  const out = new Float32Array(length);
  for (let n = 0; n < length; n += 1) {
    // A few samples of fade at both ends, so that nothing clicks that should not.
    const edge = Math.min(1, n / 48, (length - n) / 240);
    out[n] = sample(n / SOUND_SAMPLE_RATE, n) * edge;
  }
  return out;
}

const tone = (frequency: number, seconds: number): number => Math.sin(2 * Math.PI * frequency * seconds);

/** Of a struck bar: how loud, how many times the note's frequency, and how fast it dies away. */
const PARTIALS = [
  [0.62, 1, 5],
  [0.26, 2.76, 9],
  [0.12, 5.4, 16],
] as const;

/**
 * Strikes a bar from a sample on: a tone with two partials above it, each dying away faster. Each sample of a dying tone follows from the two
 * before it, which takes a tenth of the time of a sine and a power.
 */
function strike(into: Float64Array, frequency: number, loudness: number, from: number): void {
  for (const [share, times, dying] of PARTIALS) {
    const turn = (2 * Math.PI * frequency * times) / SOUND_SAMPLE_RATE;
    const fade = Math.exp(-dying / SOUND_SAMPLE_RATE);
    const next = 2 * fade * Math.cos(turn);
    const last = fade * fade;
    let before = -(loudness * share * Math.sin(turn)) / fade;
    let now = 0;
    for (let n = from; n < into.length; n += 1) {
      into[n] = (into[n] as number) + now;
      [before, now] = [now, next * now - last * before];
    }
  }
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

const samplesOf = (ms: number): number => Math.round((ms * SOUND_SAMPLE_RATE) / 1_000);

type Strike = { readonly frequency: number; readonly loudness: number; readonly atMs: number };

function strikes(ms: number, all: readonly Strike[]): Sound {
  const sum = new Float64Array(samplesOf(ms));
  for (const { frequency, loudness, atMs } of all) strike(sum, frequency, loudness, samplesOf(atMs));
  return render(ms, (_, index) => sum[index] ?? 0);
}

const melody = (notes: readonly number[], gapMs: number, tailMs: number, base: number): Sound =>
  strikes(
    notes.length * gapMs + tailMs,
    notes.map((note, n) => ({ frequency: base * 2 ** (note / 12), loudness: 0.34, atMs: n * gapMs })),
  );

/** Makes all sounds of a machine; `base` is its key note in Hz. Done once. */
function synthesise(base: number): Readonly<Record<SoundName, Sound>> {
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
    coin: strikes(260, [
      { frequency: base * 4.02, loudness: 0.3, atMs: 0 },
      { frequency: base * 5.37, loudness: 0.22, atMs: 35 },
    ]),
    pick: melody([7, 14], 70, 500, base),
    bell: melody([12, 12, 12, 12], 160, 600, base),
    key: render(60, (s, n) => 0.3 * tone(420, s) * Math.exp(-s * 80) + 0.4 * hiss(n) * Math.exp(-s * 160)),
  };
}
