import { constants, endianness } from "node:os";
import type { Stream } from "node-av";
import {
  AV_CODEC_FLAG_LOW_DELAY,
  AV_CODEC_ID_H264,
  AV_PKT_DATA_PRFT,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVERROR_INVALIDDATA,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  Codec,
  CodecContext,
  Dictionary,
  FFmpegError,
  FormatContext,
  Frame,
  InputFormat,
  Packet,
} from "node-av";
import { hushFfmpeg } from "../media/encoder/av.ts";
import { createInOrder } from "../media/rtp/sps.ts";
import type { Stamp } from "./capture-times.ts";
import type { InputSpec } from "./inputs.ts";

/** The streams of an input that are decoded. */
interface InputWants {
  readonly video: boolean;
  readonly audio: boolean;
}

/** Receives decoded frames, and frees each. */
export interface InputSink {
  video(frame: Frame, stamp: Stamp): void;
  audio(frame: Frame, stamp: Stamp): void;
  /** The input stopped by itself; nothing follows. */
  ended(problem: SourceProblem): void;
}

export interface OpenedInput {
  readonly hasAudio: boolean;
  /** After this resolves the sink is not called any more. */
  close(): Promise<void>;
}

/** Opens an input and decodes it until it is closed or ends. Rejects with a `SourceProblem`. */
export type OpenInput = (input: InputSpec, wants: InputWants, sink: InputSink) => Promise<OpenedInput>;

interface Track {
  readonly decoder: CodecContext;
  /** Milliseconds of one unit of its stamps. */
  readonly unitMs: number;
  /** See `Stamp`. */
  zeroAtMs: number | undefined;
  /** Of H.264: what its decoder need not wait for. */
  readonly inOrder: ReturnType<typeof createInOrder> | undefined;
  deliver(frame: Frame, stamp: Stamp): void;
}

/** Maximum pixels of a frame that a device may send, 4096 × 3072: each takes memory before it is checked. */
const PIXELS_MAX = 12_582_912;
/** Damaged packets in a row that are skipped. */
const DAMAGED_MAX = 200;
const LITTLE_ENDIAN = endianness() === "LE";

/**
 * Through the linked FFmpeg. Reading blocks a thread of the process's pool until the device gives something: see `readingThreads`.
 */
export const openInput: OpenInput = async (input, wants, sink) => {
  hushFfmpeg();
  const format = InputFormat.findInputFormat(input.format);
  if (format === null || format === undefined) throw new SourceProblem(missingInput(input));
  const context = new FormatContext();
  context.allocContext();
  const tracks = new Map<number, Track>();
  const release = async () => {
    for (const { decoder } of tracks.values()) decoder.freeContext();
    await context.closeInput();
  };
  try {
    check(input, await context.openInput(input.url, format, Dictionary.fromObject({ ...input.options })));
    check(input, await context.findStreamInfo(null));
    const add = async (stream: Stream | undefined, deliver: Track["deliver"]) => {
      if (stream !== undefined) tracks.set(stream.index, await openTrack(input, stream, deliver));
    };
    const streamOf = (type: number) => context.streams.find(({ codecpar }) => codecpar.codecType === type);
    if (wants.video && streamOf(AVMEDIA_TYPE_VIDEO) === undefined) {
      throw new SourceProblem(`${capital(input.said)} has no picture. Choose another stream of it.`);
    }
    if (wants.video) await add(streamOf(AVMEDIA_TYPE_VIDEO), sink.video);
    if (wants.audio) await add(streamOf(AVMEDIA_TYPE_AUDIO), sink.audio);
    const hasAudio = wants.audio && streamOf(AVMEDIA_TYPE_AUDIO) !== undefined;
    const reading = readOn(input, context, tracks, sink);
    return { hasAudio, close: () => reading.stop().then(release) };
  } catch (error) {
    await release();
    throw error;
  }
};

function missingInput({ format, said }: InputSpec): string {
  const change =
    format === "pulse"
      ? 'Use { "kind": "alsa", "device": "pulse" } instead, with the ALSA plug-in of PulseAudio installed'
      : "Use a build of node-av that has it";
  return `${capital(said)} cannot be opened: the installed FFmpeg has no input "${format}". ${change}.`;
}

function check(input: InputSpec, code: number): void {
  if (code < 0) throw inputProblem(input, code);
}

async function openTrack(input: InputSpec, stream: Stream, deliver: Track["deliver"]): Promise<Track> {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (codec === null)
    throw new SourceProblem(
      `${capital(input.said)} sends a format that the installed FFmpeg cannot read. Choose H.264 or MJPEG in its settings.`,
    );
  const { codecpar } = stream;
  const inOrder = codecpar.codecId === AV_CODEC_ID_H264 ? createInOrder() : undefined;
  if (inOrder !== undefined) {
    // Its decoder begins with what was read while the stream was looked at.
    codecpar.videoDelay = 0;
    if (codecpar.extradata !== null) codecpar.extradata = inOrder(codecpar.extradata);
  }
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  decoder.parametersToContext(codecpar);
  decoder.threadCount = 1;
  decoder.setFlags(AV_CODEC_FLAG_LOW_DELAY);
  const code = await decoder.open2(codec, Dictionary.fromObject({ max_pixels: String(PIXELS_MAX) }));
  if (code < 0) {
    decoder.freeContext();
    throw inputProblem(input, code);
  }
  const unitMs = (1_000 * stream.timeBase.num) / stream.timeBase.den;
  return { decoder, unitMs, zeroAtMs: undefined, inOrder, deliver };
}

/** Reads one packet after the other. Nothing is queued here: the device or the sink drops what is too much. */
function readOn(input: InputSpec, context: FormatContext, tracks: ReadonlyMap<number, Track>, sink: InputSink) {
  const packet = new Packet();
  packet.alloc();
  let stopping = false;
  let damaged = 0;

  const decode = async (track: Track): Promise<void> => {
    track.zeroAtMs = zeroOf(packet, track.unitMs) ?? track.zeroAtMs;
    if (track.inOrder !== undefined) rewrite(packet, track.inOrder);
    const sent = await track.decoder.sendPacket(packet);
    damaged = sent < 0 && sent !== AVERROR_EAGAIN ? damaged + 1 : 0;
    for (;;) {
      const frame = new Frame();
      frame.alloc();
      const got = await track.decoder.receiveFrame(frame);
      if (got < 0 || stopping) {
        frame.free();
        return;
      }
      track.deliver(frame, { atMs: msOf(frame.bestEffortTimestamp, track.unitMs), zeroAtMs: track.zeroAtMs });
    }
  };
  const read = async (): Promise<number> => {
    while (!stopping) {
      const code = await context.readFrame(packet);
      if (code === AVERROR_EAGAIN) continue;
      if (code < 0) return code;
      const track = tracks.get(packet.streamIndex);
      if (track !== undefined) await decode(track);
      packet.unref();
      if (damaged > DAMAGED_MAX) return AVERROR_EOF;
    }
    return 0;
  };
  const done = read()
    .catch((error: unknown) => (error instanceof FFmpegError ? error.code : AVERROR_EOF))
    .then((code) => {
      packet.free();
      if (!stopping) sink.ended(inputProblem(input, code));
    });

  return {
    async stop(): Promise<void> {
      stopping = true;
      context.interrupt();
      await done;
    },
  };
}

/** Changes the bytes of a packet, which costs it all else that it carries. */
function rewrite(packet: Packet, change: (unit: Buffer) => Buffer): void {
  const { data, pts, dts, isKeyframe } = packet;
  if (data === null) return;
  const changed = change(data);
  if (changed === data) return;
  packet.data = changed;
  Object.assign(packet, { pts, dts, isKeyframe });
}

/** What has no stamp carries the smallest number of 64 bits. */
const msOf = (stamp: bigint, unitMs: number): number | null => (stamp < -(2n ** 62n) ? null : Number(stamp) * unitMs);

/**
 * The wall clock's time of stamp 0 by a camera's own clock. FFmpeg reads it from the sender reports that come with RTP (RFC 3550) and gives each
 * packet its time in microseconds, the first member of `AVProducerReferenceTime`.
 */
function zeroOf(packet: Packet, unitMs: number): number | undefined {
  const reference = packet.getSideData(AV_PKT_DATA_PRFT);
  const at = msOf(packet.pts, unitMs);
  if (reference === null || reference.length < 8 || at === null) return undefined;
  const view = new DataView(reference.buffer, reference.byteOffset, 8);
  return Number(view.getBigInt64(0, LITTLE_ENDIAN)) / 1_000 - at;
}

/** Why an input cannot be used. The message is one sentence on what is wrong and one on what to change; never a credential. */
export class SourceProblem extends Error {
  override readonly name = "SourceProblem";
}

const { errno } = constants;
/** FFmpeg's errors for answers of a server: the code as four letters. */
const answered = (code: string) =>
  -(0xf8 | (code.charCodeAt(0) << 8) | (code.charCodeAt(1) << 16) | (code.charCodeAt(2) << 24));
const UNAUTHORIZED = answered("401");
const FORBIDDEN = answered("403");
const NOT_FOUND = answered("404");

type Explanation = readonly [what: string, change: string];

const EXPLANATIONS: Readonly<Record<number, Explanation>> = {
  [-errno.ENOENT]: ["does not exist", "Plug it in, or correct its name"],
  [-errno.ENODEV]: ["is not there any more", "Plug it in, or correct its name"],
  [-errno.ENXIO]: ["is not there any more", "Plug it in, or correct its name"],
  [-errno.EACCES]: ["may not be opened by this user", "Add the agent's user to the group of the device (video, audio)"],
  [-errno.EPERM]: ["may not be opened by this user", "Add the agent's user to the group of the device (video, audio)"],
  [-errno.EBUSY]: ["is used by another program", "End that program, or name another device"],
  [-errno.EINVAL]: ["does not take these settings", "Choose a size, rate and format that it has"],
  [-errno.ENOTTY]: ["is no such device", "Name a device that captures pictures"],
  [-errno.ECONNREFUSED]: ["refuses connections", "Switch it on, and check host and port"],
  [-errno.EHOSTUNREACH]: ["cannot be reached", "Check the network and the address"],
  [-errno.ENETUNREACH]: ["cannot be reached", "Check the network and the address"],
  [-errno.ETIMEDOUT]: ["does not answer", "Check the network and the address"],
  [-errno.EIO]: ["cannot be read", "Check its cable, and whether it is switched on"],
  [UNAUTHORIZED]: ["wants another name or password", "Correct them in the address"],
  [FORBIDDEN]: ["forbids this stream", "Allow it in the camera's settings"],
  [NOT_FOUND]: ["has no such stream", "Correct the path of the address"],
  [AVERROR_EOF]: ["has ended", "Check whether it is switched on"],
  [AVERROR_INVALIDDATA]: ["sends what cannot be read", "Choose H.264 or MJPEG in its settings"],
};

/** What an error of FFmpeg means for one input. */
function inputProblem(input: InputSpec, code: number): SourceProblem {
  const [what, change] = explain(input, code);
  return new SourceProblem(`${capital(input.said)} ${what}. ${change}.`);
}

function explain(input: InputSpec, code: number): Explanation {
  if (input.format === "x11grab" && code === -errno.EIO)
    return ["cannot be opened", "Start the X server, let this user in (xhost), and keep the region within the screen"];
  const known = EXPLANATIONS[code];
  if (known !== undefined) return known;
  return [`fails: ${new FFmpegError(code).message}`, "Look whether it works with another program"];
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
