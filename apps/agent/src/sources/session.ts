import { statSync } from "node:fs";
import { connect } from "node:net";
import { AV_CHANNEL_LAYOUT_STEREO, AV_SAMPLE_FMT_S16, FFmpegError, Frame, SoftwareResampleContext } from "node-av";
import type { Size } from "../config/pictures.ts";
import type { Clock, Stop } from "../ports/clock.ts";
import type { SoundBlock, VideoFrame } from "../ports/source.ts";
import { SOUND_BLOCK_FRAMES, SOUND_SAMPLE_RATE } from "../ports/source.ts";
import { createCaptureTimes } from "./capture-times.ts";
import { createFrameConverter } from "./frame-converter.ts";
import type { InputSpec } from "./inputs.ts";
import type { InputSink, OpenedInput, OpenInput } from "./open-input.ts";
import { capital, SourceProblem } from "./open-input.ts";

/** A device that gives no frame for this long has failed, ms. */
export const SILENT_MS_MAX = 5_000;
/** Frames that arrive this much later than the fastest one wait in a queue outside this process; this is tolerated for a while, ms. */
const BEHIND_MS_MAX = 1_500;
const BEHIND_FOR_MS = 4_000;
/** A pause of this process between two looks counts as no more than this, ms: the device did not cause it. */
const LOOK_MS_MAX = 250;
/** The last frame of a device that pauses is repeated for this long, ms: a new viewer needs one, but an old one must not pass as new. */
const REPEAT_MS_MAX = 1_000;
/** A pause this long, ms and in frames: the new frames of a slow camera must not be dropped after repeated old ones. */
const PAUSE_MS = 250;
const PAUSE_FRAMES = 3;

export interface SessionSettings {
  readonly video: InputSpec;
  readonly size: Size;
  /** Frames a second. */
  readonly rate: number;
  /** How long the video takes to this computer, ms; undefined: not known, unless its own clock says it. */
  readonly delayMs: number | undefined;
  /** `video`: it arrives with the video. */
  readonly sound: InputSpec | "video" | undefined;
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
  video(picture: VideoFrame): void;
  audio(block: SoundBlock): void;
  ended(reason: string): void;
}

export interface Session {
  /** After this resolves the sink is not called any more. */
  close(): Promise<void>;
}

/** One opening of a device: FFmpeg's frames in, video frames and sound blocks of the port out, until it is closed or ends. */
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
  const pacer = createPacer(settings.rate, clock, (frame) => over || sink.video(frame));
  const converter = createFrameConverter(settings.size, pacer.frame, failed);
  const times = createCaptureTimes(settings.video.stamps, clock.now, deps.wallNow, settings.delayMs);
  const blocks = createSoundBlocks((block) => over || sink.audio(block), failed);
  let keptUpAtMs = clock.now();
  const soundTimes = createCaptureTimes("stream", clock.now, deps.wallNow);

  const on: InputSink = {
    video(frame: Frame, stamp) {
      const taken = times.of(stamp);
      if (taken === undefined) return frame.free();
      converter.take(frame, taken);
      if (times.behindMs() <= BEHIND_MS_MAX) keptUpAtMs = clock.now();
      if (clock.now() - keptUpAtMs > BEHIND_FOR_MS) {
        failed(
          new SourceProblem(
            `${capital(settings.video.said)} sends more than this computer can read. Choose a smaller size or rate.`,
          ),
        );
      }
    },
    audio: (frame, stamp) => takeSound(blocks, frame, soundTimes.of(stamp)?.capturedAtMs),
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
    input = await deps.openInput(settings.video, { video: true, audio: order === "video" }, on);
  } catch (error) {
    await close();
    throw error;
  }
  if (order === "video" && !input.hasAudio) problem(`${capital(settings.video.said)} has no sound.`);
  const look = () => {
    pacer.look();
    if (pacer.silentMs() > SILENT_MS_MAX) end(`${capital(settings.video.said)} gives no picture any more.`);
  };
  if (over) return { close };
  stops.push(clock.every(1_000 / settings.rate, look));
  if (settings.video.format === "x11grab")
    stops.push(watchScreen(settings.video.url, clock, () => end(`${capital(settings.video.said)} has gone.`)));
  return { close };
}

/** Passes frames on, at most at the wanted rate, and repeats the last one for a while when none arrives. */
function createPacer(rate: number, clock: Clock, deliver: (frame: VideoFrame) => void) {
  const gapMs = 1_000 / rate;
  let last: VideoFrame | undefined;
  let lookedAtMs = clock.now();
  let silentMs = 0;
  let sentAtMs = Number.NEGATIVE_INFINITY;
  /** The age of the last frame when it arrived; a repeated one counts as no younger. */
  let ageMs = 0;
  let deliveredMs = Number.NEGATIVE_INFINITY;
  const send = (frame: VideoFrame, capturedAtMs: number, now: number) => {
    sentAtMs = now;
    // A frame may be older than the repeat before it.
    deliveredMs = Math.max(capturedAtMs, deliveredMs + 1);
    deliver({
      ...frame,
      capturedAtMs: deliveredMs,
      ...(deliveredMs > frame.capturedAtMs && { takenAtMs: frame.capturedAtMs }),
    });
  };
  return {
    frame(frame: VideoFrame): void {
      const now = clock.now();
      last = frame;
      silentMs = 0;
      if (now - sentAtMs < gapMs / 2) return;
      ageMs = now - frame.capturedAtMs;
      send(frame, frame.capturedAtMs, now);
    },
    look(): void {
      const now = clock.now();
      silentMs += Math.min(LOOK_MS_MAX, now - lookedAtMs);
      lookedAtMs = now;
      if (last === undefined || now - sentAtMs < Math.max(PAUSE_MS, gapMs * PAUSE_FRAMES) || silentMs > REPEAT_MS_MAX)
        return;
      send(last, now - ageMs, now);
    },
    silentMs: () => silentMs,
  };
}

/** How often the X server is checked, ms. */
const LOOK_MS = 1_000;

/**
 * Calls back once when a local X server has ended or was restarted: the capture itself does not notice, and shows its last frame for
 * ever. A server without a socket in the usual place is not watched.
 */
function watchScreen(display: string, clock: Clock, gone: () => void): Stop {
  const [, number = ""] = /^:(\d+)/.exec(display) ?? [];
  const path = `/tmp/.X11-unix/X${number}`;
  const first = socketOf(path);
  if (first === undefined) return () => undefined;
  let stopped = false;
  const report = () => {
    if (stopped) return;
    stop();
    gone();
  };
  const look = () => {
    if (socketOf(path) !== first) report();
    else {
      const socket = connect(path, () => socket.destroy());
      socket.on("error", report);
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

/** A sound device that failed is tried again after this, ms: the video does not wait for it. */
const RETRY_MS = 5_000;

interface SoundInputDeps {
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly openInput: OpenInput;
  problem(sentence: string): void;
}

/** Sound of a device of its own, opened again whenever it fails. */
export function keepSoundOpen(
  order: InputSpec,
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
        audio: (frame, stamp) => takeSound(blocks, frame, times.of(stamp)?.capturedAtMs),
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

const BLOCK_VALUES = SOUND_BLOCK_FRAMES * 2;
const MS_PER_VALUE = 1_000 / (SOUND_SAMPLE_RATE * 2);

/** Makes blocks of 20 ms, 48 kHz stereo, out of whatever sound arrives. */
interface SoundBlocks {
  /** Takes ownership of the frame. */
  take(frame: Frame, capturedAtMs: number): void;
  close(): void;
}

function takeSound(blocks: SoundBlocks, frame: Frame, capturedAtMs: number | undefined): void {
  if (capturedAtMs === undefined) frame.free();
  else blocks.take(frame, capturedAtMs);
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
