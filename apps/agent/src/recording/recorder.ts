import type { LaneViewer } from "../media/lanes.ts";
import type { FramePackets } from "../media/rtp/frame-packets.ts";
import { splitAnnexB } from "../media/rtp/frame-packets.ts";
import type { MediaPacket } from "../media/rtp/rtp.ts";
import { rtpTimestamp, SOUND_CLOCK_HZ } from "../media/rtp/rtp.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import type { FrameClock, SourceFormat } from "../ports/source.ts";
import type { VideoCodec } from "../ports/transport.ts";
import { SALT_BYTES } from "./locked-file.ts";
import type { ParameterSets, Sample } from "./mp4.ts";
import { mp4Fragment, mp4Head, VIDEO_TICKS } from "./mp4.ts";
import type { Segment, SegmentFile } from "./segment.ts";
import { openSegmentFile } from "./segment.ts";

/** A key frame ends a segment of at least this length; without one for longer, one is wanted. ms. */
const SEGMENT_MS_MIN = 2_000;
const SEGMENT_MS = 6_000;
/** What a crash may cost: a fragment is written when it is this long, ms. */
const FRAGMENT_MS = 500;
/** Bytes that may wait for the disk. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
/** After a failure nothing is recorded for this long, ms. */
const RETRY_MS = 5_000;
/** Until a page has said which codec it reads, nothing is encoded for the record alone, ms. */
const ALONE_AFTER_MS = 3_000;
/** What is encoded when only the record needs it, bit/s. */
const ALONE_BITRATE = 800_000;
const SOUND_BLOCK_TICKS = 960;

/** Where one play session is recorded. */
export interface RecordPlace {
  readonly folder: string;
  /** Of this session alone, 32 bytes. */
  readonly sessionKey: Uint8Array;
  /** Number of the first segment. */
  readonly first: number;
}

/** What is reported of a record under way. */
export interface RecordEvents {
  /** A segment is on the disk. */
  sealed(segment: Segment): void;
  /** Nothing could be recorded; a sentence. Tried again by itself. */
  failed(why: string): void;
  /** The record has ended by itself, and what was under way is as it lies on the disk. */
  lost(): void;
}

export type RecordOrder = RecordPlace & RecordEvents;

/** What a record needs of its computer. */
export interface RecordDisk {
  readonly files: Files;
  readonly random: (bytes: number) => Uint8Array;
}

export interface RecorderDeps extends RecordDisk {
  readonly clock: Clock;
  readonly format: SourceFormat;
  /** The codec that the present viewers have; null: there is no viewer. */
  readonly watchedCodec: () => VideoCodec | null;
  /** A segment should begin. */
  readonly wantKeyFrame: () => void;
}

/** Writes what the encoder gives to the disk, while a play session is recorded; it never encodes what a viewer does not also need, while there is one. */
export interface Recorder {
  /** It takes frames like a viewer that comes after all others. */
  readonly viewer: LaneViewer;
  readonly on: boolean;
  sound(packet: MediaPacket): void;
  /** Ends what is being recorded, once all of it is on the disk, and begins another record, or none. */
  record(order: RecordOrder | undefined): Promise<void>;
}

export function createRecorder(deps: RecorderDeps): Recorder {
  const { clock } = deps;
  let running: { readonly order: RecordOrder; readonly track: Track; readonly beganAt: number } | undefined;
  let lastCodec: VideoCodec | null = null;

  function codec(): VideoCodec | null {
    if (running === undefined) return null;
    lastCodec = deps.watchedCodec() ?? lastCodec;
    const alone = clock.now() - running.beganAt > ALONE_AFTER_MS ? "h264" : null;
    return lastCodec ?? alone;
  }

  return {
    viewer: {
      role: "staff",
      sender: {
        get codec() {
          return codec();
        },
        bitrate: ALONE_BITRATE,
        refused: false,
        frame: (frame) => running?.track.frame(frame, codec() ?? "h264"),
      },
    },
    get on() {
      return running !== undefined;
    },
    sound: (packet) => running?.track.sound(packet),
    async record(order) {
      const before = running;
      running = order && { order, track: createTrack(deps, order), beganAt: clock.now() };
      if (order === undefined) lastCodec = null;
      await before?.track.end();
    },
  };
}

type Track = {
  frame(frame: FramePackets, codec: VideoCodec): void;
  sound(packet: MediaPacket): void;
  end(): Promise<void>;
};

/** The segments of one record, one after the other. */
function createTrack(deps: RecorderDeps, order: RecordOrder): Track {
  const { clock, format } = deps;
  let next = order.first;
  let open: OpenSegment | undefined;
  let retryAt = Number.NEGATIVE_INFINITY;
  let soundedAt = Number.NEGATIVE_INFINITY;
  let lastAt = Number.NEGATIVE_INFINITY;
  let requested = false;
  let last: Promise<void> = Promise.resolve();

  function failed(error: unknown): void {
    open = undefined;
    retryAt = clock.now() + RETRY_MS;
    order.failed(sentenceOf(error));
  }

  function begin(beginning: Beginning): OpenSegment {
    const { from, codec, sets } = beginning;
    const sound = from - soundedAt < SEGMENT_MS_MIN;
    const n = next;
    next += 1;
    requested = false;
    const head = mp4Head({ ...{ codec, sound, parameterSets: sets }, width: format.width, height: format.height });
    // One after the other: a slow disk delays the next segment, and never a frame.
    const file = last.then(() => openSegmentFile({ ...deps, ...order, salt: deps.random(SALT_BYTES) }, n));
    file.catch(() => undefined);
    const segment: OpenSegment = createOpenSegment({
      ...{ ...beginning, file, head, sound },
      failed: (error) => open === segment && failed(error),
    });
    return segment;
  }

  function close(endsAt: number | undefined): void {
    const ending = open;
    open = undefined;
    if (ending === undefined) return;
    const segment = ending.end(endsAt);
    const sealed = segment.then(order.sealed, (error: unknown) => order.failed(sentenceOf(error)));
    last = last.then(() => sealed);
  }

  return {
    frame(frame, codec) {
      if (clock.now() < retryAt) return;
      const units = codec === "h264" ? h264Units(frame.unit) : undefined;
      const at = Math.max(frame.takenAtMs ?? frame.capturedAtMs, lastAt + 1);
      lastAt = at;
      const { clock: frameClock = BY_COMPUTER, keyFrame } = frame;
      const beginning = { from: at, codec, sets: units?.sets, frameClock };
      if (keyFrame && isCut(open, beginning)) {
        close(at);
        open = begin(beginning);
      }
      if (!requested && isDue(open, beginning, soundedAt)) {
        requested = true;
        deps.wantKeyFrame();
      }
      open?.frame({ bytes: units?.sample ?? frame.unit, keyFrame, at, frameClock });
    },
    sound(packet) {
      soundedAt = clock.now();
      open?.takeSound(packet);
    },
    async end() {
      close(undefined);
      await last;
    },
  };
}

/** Whether the segment is to end at the next key frame. */
function isDue(open: OpenSegment | undefined, { from, frameClock }: Beginning, soundedAt: number): boolean {
  if (open === undefined || from - open.from >= SEGMENT_MS) return true;
  return (!open.sound && soundedAt > open.from) || isMoreExact(open, frameClock);
}

/** Whether a key frame ends the segment and begins another one. */
function isCut(open: OpenSegment | undefined, { from, codec, sets, frameClock }: Beginning): boolean {
  if (open === undefined) return true;
  const age = from - open.from;
  const isOther = open.codec !== codec || !sameSets(open.sets, sets);
  return age >= SEGMENT_MS_MIN || isOther || isMoreExact(open, frameClock);
}

/** A source that says nothing of its times stamps frames where it makes them. */
const BY_COMPUTER: FrameClock = { by: "computer", delayMs: 0 };

/** A segment is no more exact than its least exact frame: once a camera has said its time, another one begins. */
const isMoreExact = (open: OpenSegment | undefined, { by }: FrameClock): boolean =>
  open?.frameClock.by === "arrival" && by !== "arrival";

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Frame = {
  readonly bytes: Uint8Array;
  readonly keyFrame: boolean;
  readonly at: number;
  readonly frameClock: FrameClock;
};

/** What a segment is from its first frame on. */
type Beginning = {
  readonly from: number;
  readonly codec: VideoCodec;
  readonly sets: ParameterSets | undefined;
  /** Of its least exact frame so far. */
  readonly frameClock: FrameClock;
};

type OpenSegment = Beginning & {
  readonly sound: boolean;
  frame(frame: Frame): void;
  takeSound(packet: MediaPacket): void;
  /** `at`: when the next segment begins; undefined: its last frame has the length of the one before. */
  end(at: number | undefined): Promise<Segment>;
};

type OpenSegmentDeps = Beginning & {
  readonly file: Promise<SegmentFile>;
  readonly head: Buffer;
  readonly sound: boolean;
  readonly failed: (error: unknown) => unknown;
};

const LAST_FRAME_MS = 33;

/** One segment that is being written. A frame is held until the next one says how long it is shown. */
function createOpenSegment(deps: OpenSegmentDeps): OpenSegment {
  const { from } = deps;
  const writer = createWriter(deps.file, deps.failed);
  const ticksOf = (at: number) => Math.max(0, Math.round(((at - from) * VIDEO_TICKS) / 1000));
  let head: Buffer | undefined = deps.head;
  let held: Frame | undefined;
  let fragments = 0;
  let begunAt = from;
  let frames: Sample[] = [];
  let sounds: Sample[] = [];
  let soundAt = 0;
  let soundNext = 0;
  let lastMs = LAST_FRAME_MS;
  let { frameClock } = deps;

  function take(endsAt: number): void {
    if (held === undefined) return;
    frames.push({ bytes: held.bytes, keyFrame: held.keyFrame, ticks: Math.max(0, ticksOf(endsAt) - ticksOf(held.at)) });
    held = undefined;
  }

  function flush(endsAt: number): void {
    if (frames.length === 0) return;
    fragments += 1;
    const body = mp4Fragment(fragments, { at: ticksOf(begunAt), samples: frames }, { at: soundAt, samples: sounds });
    const bytes = head === undefined ? body : Buffer.concat([head, body]);
    writer.write({ from: begunAt, to: endsAt, frames: frames.length, bytes });
    head = undefined;
    begunAt = endsAt;
    frames = [];
    sounds = [];
  }

  return {
    ...{ from, codec: deps.codec, sets: deps.sets, sound: deps.sound },
    get frameClock() {
      return frameClock;
    },
    frame(frame) {
      if (held !== undefined) lastMs = Math.max(1, frame.at - held.at);
      take(frame.at);
      if (frameClock.by !== "arrival") frameClock = frame.frameClock;
      if (frame.at - begunAt >= FRAGMENT_MS) flush(frame.at);
      held = frame;
    },
    takeSound({ payload, timestamp }) {
      if (!deps.sound) return;
      // Its distance from the first frame, in ticks; the timestamp wraps.
      const ticks = Math.max(soundNext, (timestamp - rtpTimestamp(from, SOUND_CLOCK_HZ)) | 0);
      const before = sounds.at(-1);
      if (before === undefined) soundAt = ticks;
      else if (ticks > soundNext) sounds[sounds.length - 1] = { ...before, ticks: before.ticks + ticks - soundNext };
      sounds.push({ bytes: payload, ticks: SOUND_BLOCK_TICKS, keyFrame: true });
      soundNext = ticks + SOUND_BLOCK_TICKS;
    },
    async end(at) {
      const endsAt = at ?? (held?.at ?? from) + lastMs;
      take(endsAt);
      flush(endsAt);
      const { by, delayMs } = frameClock;
      return { ...(await writer.seal()), frameClock: { by, delayMs } };
    },
  };
}

/** Writes in order, and fails once: when the disk does, or when it is so slow that too much waits. */
function createWriter(file: Promise<SegmentFile>, failed: (error: unknown) => unknown) {
  let waiting = 0;
  let problem: Error | undefined;
  let last: Promise<unknown> = file;
  const fail = (error: unknown): void => {
    if (problem !== undefined) return;
    problem = error instanceof Error ? error : new Error(String(error));
    void file.then((opened) => opened.abandon()).catch(() => undefined);
    failed(problem);
  };
  last.catch(fail);
  return {
    write(fragment: Parameters<SegmentFile["write"]>[0]): void {
      if (problem !== undefined) return;
      waiting += fragment.bytes.length;
      if (waiting > WAITING_BYTES_MAX) {
        fail(new Error("The disk is too slow for the record."));
        return;
      }
      last = last
        .then(async () => {
          if (problem === undefined) await (await file).write(fragment);
        })
        .catch(fail)
        .finally(() => {
          waiting -= fragment.bytes.length;
        });
    },
    async seal(): Promise<Segment> {
      await last;
      if (problem !== undefined) throw problem;
      return await (await file).seal();
    },
  };
}

const SPS = 7;
const PPS = 8;
/** Slices of a frame, IDR or not; all else is not needed to show it. */
const SLICES: ReadonlySet<number> = new Set([1, 5]);

/** An access unit as MP4 keeps it, and its parameter sets where it has them. */
function h264Units(unit: Uint8Array): { sample: Buffer; sets: ParameterSets | undefined } {
  const units = splitAnnexB(unit);
  const typed = (type: number) => units.find((one) => ((one[0] ?? 0) & 31) === type);
  const [sps, pps] = [typed(SPS), typed(PPS)];
  const slices = units.filter((one) => SLICES.has((one[0] ?? 0) & 31));
  const parts = slices.flatMap((slice) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(slice.length);
    return [length, slice];
  });
  return { sample: Buffer.concat(parts), sets: sps && pps && { sps: Buffer.from(sps), pps: Buffer.from(pps) } };
}

function sameSets(a: ParameterSets | undefined, b: ParameterSets | undefined): boolean {
  // A key frame without sets continues with those before it.
  if (a === undefined || b === undefined) return true;
  return Buffer.compare(a.sps, b.sps) === 0 && Buffer.compare(a.pps, b.pps) === 0;
}
