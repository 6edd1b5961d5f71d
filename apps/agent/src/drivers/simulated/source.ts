import type { Clock } from "../../ports/clock.ts";
import type { OpenSource, Picture, Source, SourceSink } from "../../ports/source.ts";
import { SOUND_BLOCK_FRAMES, SOUND_BLOCK_MS } from "../../ports/source.ts";
import type { Strip } from "./game/strips.ts";
import type { BrandArt } from "./picture/art.ts";
import { prepareArt } from "./picture/art.ts";
import { startCadence } from "./picture/cadence.ts";
import { PICTURE_HEIGHT, PICTURE_WIDTH } from "./picture/reading/layout.ts";
import { createScene } from "./picture/scene.ts";
import type { Pace } from "./reveal.ts";
import { createDirector } from "./sound/director.ts";
import { createMixer } from "./sound/mixer.ts";
import type { Sound, SoundName } from "./sound/synthesis.ts";
import { synthesise } from "./sound/synthesis.ts";
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
  /** Told of each press that had an effect; the player waits for the picture of it. One listener at most. */
  onPress(listener: () => void): () => void;
};

/** Picture and sound of a simulated machine. Works only while it is open; a still is painted on demand. */
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
      director.hear(view(), now);
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
        async close() {
          stopPresses();
          cadence.stop();
          stopSound();
          isOpen = false;
        },
      };
    },
    async still(): Promise<Picture> {
      const { art } = await prepare(brand);
      const scene = createScene({ art, strips, pace, timeCode: false });
      const capturedAtMs = clock.now();
      scene.paint(view(), capturedAtMs);
      return { width: PICTURE_WIDTH, height: PICTURE_HEIGHT, data: scene.frame.data, capturedAtMs };
    },
  };
}
