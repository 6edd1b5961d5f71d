import type { Frame } from "node-av";
import type { Size } from "../config/pictures.ts";
import type { Clock, Stop } from "../ports/clock.ts";
import type { Picture, SoundBlock } from "../ports/source.ts";
import { createCaptureTimes } from "./capture-times.ts";
import type { InputSink, OpenedInput, OpenInput } from "./open-input.ts";
import type { InputOrder } from "./order.ts";
import { createPictureConverter } from "./picture-converter.ts";
import { capital, SourceProblem } from "./problem.ts";
import { watchScreen } from "./screen-watch.ts";
import { createSoundBlocks } from "./sound-blocks.ts";
import { keepSoundOpen } from "./sound-input.ts";

/** A device that gives no picture for this long has failed, ms. */
export const SILENT_MS_MAX = 5_000;
/** Pictures that come so much later than the quickest wait in a queue that we cannot see; for this long that is borne, ms. */
const BEHIND_MS_MAX = 1_500;
const BEHIND_FOR_MS = 4_000;
/** A pause of our own between two looks counts as no more than this, ms: the device is not to blame for it. */
const LOOK_MS_MAX = 250;
/** A device that pauses has its last picture repeated for this long: somebody who joins needs one, but nobody is shown an old one as new. */
const REPEAT_MS_MAX = 1_000;
/** A pause this long, ms and in pictures: a slow camera shall not have its new pictures thinned out behind old ones. */
const PAUSE_MS = 250;
const PAUSE_PICTURES = 3;

export interface SessionSettings {
  readonly picture: InputOrder;
  readonly size: Size;
  /** Pictures a second. */
  readonly rate: number;
  /** `picture`: it comes with the picture. */
  readonly sound: InputOrder | "picture" | undefined;
}

export interface SessionDeps {
  readonly clock: Clock;
  /** The computer's wall clock, ms since 1970. */
  readonly wallNow: () => number;
  readonly openInput: OpenInput;
  /** A sentence for the log; the capture goes on. */
  problem(sentence: string): void;
}

export interface SessionSink {
  video(picture: Picture): void;
  audio(block: SoundBlock): void;
  ended(reason: string): void;
}

export interface Session {
  /** After this resolves the sink is not called any more. */
  close(): Promise<void>;
}

/** One opening of a device: frames in, pictures and sound of the port out, until it is closed or ends. */
export async function startSession(settings: SessionSettings, deps: SessionDeps, sink: SessionSink): Promise<Session> {
  const { clock, problem } = deps;
  let over = false;
  let input: OpenedInput | undefined;
  const stops: Stop[] = [];
  const end = (reason: string) => {
    if (over) return;
    over = true;
    for (const stop of stops.splice(0)) stop();
    sink.ended(reason);
  };
  const failed = (error: unknown) => end(error instanceof Error ? error.message : String(error));
  const pacer = createPacer(settings.rate, clock, (picture) => over || sink.video(picture));
  const converter = createPictureConverter(settings.size, pacer.picture, failed);
  const times = createCaptureTimes(settings.picture.stamps, clock.now, deps.wallNow);
  const blocks = createSoundBlocks((block) => over || sink.audio(block), failed);
  let keptUpAtMs = clock.now();
  const soundTimes = createCaptureTimes("stream", clock.now, deps.wallNow);

  const on: InputSink = {
    video(frame: Frame, stampMs) {
      const capturedAtMs = times.of(stampMs);
      converter.take(frame, capturedAtMs);
      if (times.behindMs() <= BEHIND_MS_MAX) keptUpAtMs = clock.now();
      if (clock.now() - keptUpAtMs > BEHIND_FOR_MS) {
        failed(
          new SourceProblem(
            `${capital(settings.picture.said)} sends more than this computer can read. Choose a smaller size or rate.`,
          ),
        );
      }
    },
    audio: (frame, stampMs) => blocks.take(frame, soundTimes.of(stampMs)),
    ended: failed,
  };
  const close = async () => {
    over = true;
    for (const stop of stops.splice(0)) stop();
    await Promise.all([input?.close(), sound?.close()]);
    await converter.close();
    blocks.close();
  };
  const order = settings.sound;
  const sound = typeof order === "object" ? keepSoundOpen(order, deps, sink) : undefined;
  try {
    input = await deps.openInput(settings.picture, { video: true, audio: order === "picture" }, on);
  } catch (error) {
    await close();
    throw error;
  }
  if (order === "picture" && !input.hasAudio) problem(`${capital(settings.picture.said)} has no sound.`);
  const look = () => {
    pacer.look();
    if (pacer.silentMs() > SILENT_MS_MAX) end(`${capital(settings.picture.said)} gives no picture any more.`);
  };
  if (over) return { close };
  stops.push(clock.every(1_000 / settings.rate, look));
  if (settings.picture.input === "x11grab")
    stops.push(watchScreen(settings.picture.url, clock, () => end(`${capital(settings.picture.said)} has gone.`)));
  return { close };
}

/** Passes pictures on, at most at the wanted rate, and repeats the last one now and then for a while when none comes. */
function createPacer(rate: number, clock: Clock, deliver: (picture: Picture) => void) {
  const gapMs = 1_000 / rate;
  let last: Picture | undefined;
  let lookedAtMs = clock.now();
  let silentMs = 0;
  let sentAtMs = Number.NEGATIVE_INFINITY;
  /** How old the last picture was when it came; a repeated one counts as no younger. */
  let ageMs = 0;
  let toldMs = Number.NEGATIVE_INFINITY;
  const send = (picture: Picture, capturedAtMs: number, now: number) => {
    sentAtMs = now;
    // A picture may be older than the repeat before it.
    toldMs = Math.max(capturedAtMs, toldMs + 1);
    deliver({ ...picture, capturedAtMs: toldMs });
  };
  return {
    picture(picture: Picture): void {
      const now = clock.now();
      last = picture;
      silentMs = 0;
      if (now - sentAtMs < gapMs / 2) return;
      ageMs = now - picture.capturedAtMs;
      send(picture, picture.capturedAtMs, now);
    },
    look(): void {
      const now = clock.now();
      silentMs += Math.min(LOOK_MS_MAX, now - lookedAtMs);
      lookedAtMs = now;
      if (last === undefined || now - sentAtMs < Math.max(PAUSE_MS, gapMs * PAUSE_PICTURES) || silentMs > REPEAT_MS_MAX)
        return;
      send(last, now - ageMs, now);
    },
    silentMs: () => silentMs,
  };
}
