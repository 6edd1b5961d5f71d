import { statSync } from "node:fs";
import { connect } from "node:net";
import { AV_CHANNEL_LAYOUT_STEREO, AV_SAMPLE_FMT_S16, FFmpegError, Frame, SoftwareResampleContext } from "node-av";
import type { Size } from "../config/pictures.ts";
import type { Clock, Stop } from "../ports/clock.ts";
import type { Picture, SoundBlock } from "../ports/source.ts";
import { SOUND_BLOCK_FRAMES, SOUND_SAMPLE_RATE } from "../ports/source.ts";
import type { InputSink, OpenedInput, OpenInput } from "./open-input.ts";
import type { InputOrder } from "./order.ts";
import { createPictureConverter } from "./picture-converter.ts";
import { capital, SourceProblem } from "./problem.ts";

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

/** How often an X server is looked for, ms. */
const LOOK_MS = 1_000;

/**
 * Says once that a local X server has gone or was started anew: the capture itself does not notice, and shows its last picture for
 * ever. A server without a socket in the usual place is not watched.
 */
function watchScreen(display: string, clock: Clock, gone: () => void): Stop {
  const [, number = ""] = /^:(\d+)/.exec(display) ?? [];
  const path = `/tmp/.X11-unix/X${number}`;
  const first = socketOf(path);
  if (first === undefined) return () => undefined;
  let stopped = false;
  const tell = () => {
    if (stopped) return;
    stop();
    gone();
  };
  const look = () => {
    if (socketOf(path) !== first) tell();
    else {
      const socket = connect(path, () => socket.destroy());
      socket.on("error", tell);
    }
  };
  const stopLooking = clock.every(LOOK_MS, look);
  function stop(): void {
    stopped = true;
    stopLooking();
  }
  return stop;
}

function socketOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** A sound device that failed is tried again after this, ms: the picture does not wait for it. */
const RETRY_MS = 5_000;

interface SoundInputDeps {
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly openInput: OpenInput;
  problem(sentence: string): void;
}

/** Sound of a device of its own, opened again whenever it fails. */
export function keepSoundOpen(
  order: InputOrder,
  { clock, wallNow, openInput, problem }: SoundInputDeps,
  sink: { audio(block: SoundBlock): void },
): { close(): Promise<void> } {
  let closed = false;
  let input: OpenedInput | undefined;
  let opening: Promise<void> = Promise.resolve();
  let stopRetry: Stop | undefined;
  const times = createCaptureTimes(order.stamps, clock.now, wallNow);

  const failed = (error: unknown): void => {
    // Sound that cannot be read fails with each block of it.
    if (closed || stopRetry !== undefined) return;
    problem(`There is no sound. ${error instanceof Error ? error.message : String(error)}`);
    stopRetry = clock.after(RETRY_MS, start);
  };
  const blocks = createSoundBlocks((block) => closed || sink.audio(block), failed);
  const open = async (): Promise<void> => {
    const before = input;
    input = undefined;
    await before?.close();
    if (closed) return;
    const opened = await openInput(
      order,
      { video: false, audio: true },
      {
        video: (frame) => frame.free(),
        audio: (frame, stampMs) => blocks.take(frame, times.of(stampMs)),
        ended: failed,
      },
    );
    if (closed) await opened.close();
    else input = opened;
  };
  function start(): void {
    stopRetry = undefined;
    opening = opening.then(open).catch(failed);
  }

  start();
  return {
    async close() {
      closed = true;
      stopRetry?.();
      await opening;
      await input?.close();
      blocks.close();
    },
  };
}

/** How far back a wall-clock stamp is believed, ms; a wrong clock in the driver is not. */
const AGE_MS_MAX = 2_000;
/** The clocks of a camera and of this computer drift apart by less than this, ms a picture. */
const DRIFT_MS = 0.01;

interface CaptureTimes {
  /** When a picture with this stamp was taken, on the agent's clock; grows with every call. `null`: it carries no stamp. */
  of(stampMs: number | null): number;
  /** Extra transit time of the last frame over the fastest one, ms; growth means upstream queueing. */
  behindMs(): number;
}

/**
 * Turns an input's stamps into times of the agent's clock. A stamp of this computer's wall clock gives its age; a count from some
 * beginning is laid so that the quickest picture seen took no time at all.
 */
export function createCaptureTimes(stamps: "wall" | "stream", now: () => number, wallNow: () => number): CaptureTimes {
  let offset = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let lastStamp = Number.NEGATIVE_INFINITY;
  let behind = 0;

  const taken = (stampMs: number | null, arrivedAtMs: number): number => {
    if (stampMs === null) return arrivedAtMs;
    const ageMs = wallNow() - stampMs;
    if (stamps === "wall" && ageMs >= -1 && ageMs <= AGE_MS_MAX) return arrivedAtMs - Math.max(0, ageMs);
    // A count that starts anew says nothing about the one before.
    if (stampMs < lastStamp) offset = Number.POSITIVE_INFINITY;
    lastStamp = stampMs;
    offset = Math.min(offset + DRIFT_MS, arrivedAtMs - stampMs);
    return stampMs + offset;
  };

  return {
    of(stampMs) {
      const arrivedAtMs = now();
      const at = taken(stampMs, arrivedAtMs);
      behind = arrivedAtMs - at;
      last = Math.max(at, last + 1);
      return last;
    },
    behindMs: () => behind,
  };
}

const BLOCK_VALUES = SOUND_BLOCK_FRAMES * 2;
const MS_PER_VALUE = 1_000 / (SOUND_SAMPLE_RATE * 2);

/** Makes blocks of 20 ms, 48 kHz stereo, out of whatever sound comes. */
interface SoundBlocks {
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
