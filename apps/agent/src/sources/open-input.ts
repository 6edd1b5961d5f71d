import type { Stream } from "node-av";
import {
  AV_CODEC_FLAG_LOW_DELAY,
  AVERROR_EAGAIN,
  AVERROR_EOF,
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
import type { InputOrder } from "./order.ts";
import { capital, inputProblem, SourceProblem } from "./problem.ts";

/** What of an input is decoded. */
export interface InputWants {
  readonly video: boolean;
  readonly audio: boolean;
}

/** Where decoded frames go. The taker frees each frame. `stampMs`: the input's own stamp, or null. */
export interface InputSink {
  video(frame: Frame, stampMs: number | null): void;
  audio(frame: Frame, stampMs: number | null): void;
  /** The input stopped by itself; nothing follows. */
  ended(problem: SourceProblem): void;
}

export interface OpenedInput {
  readonly hasAudio: boolean;
  /** After this resolves the sink is not called any more. */
  close(): Promise<void>;
}

/** Opens an input and decodes it until it is closed or ends. Rejects with a `SourceProblem`. */
export type OpenInput = (order: InputOrder, wants: InputWants, sink: InputSink) => Promise<OpenedInput>;

interface Track {
  readonly decoder: CodecContext;
  /** Milliseconds of one unit of its stamps. */
  readonly unitMs: number;
  deliver(frame: Frame, stampMs: number | null): void;
}

/** Most pixels of a picture that a device may send, 4096 × 3072: each takes memory before anything of it is looked at. */
const PIXELS_MAX = 12_582_912;
/** Damaged packets in a row that are passed over. */
const DAMAGED_MAX = 200;

/**
 * Through the linked FFmpeg. Reading blocks a thread of the process's pool until the device gives something: see `readingThreads`.
 */
export const openInput: OpenInput = async (order, wants, sink) => {
  hushFfmpeg();
  const format = InputFormat.findInputFormat(order.input);
  if (format === null || format === undefined) throw new SourceProblem(missingInput(order));
  const context = new FormatContext();
  context.allocContext();
  const tracks = new Map<number, Track>();
  const release = async () => {
    for (const { decoder } of tracks.values()) decoder.freeContext();
    await context.closeInput();
  };
  try {
    check(order, await context.openInput(order.url, format, Dictionary.fromObject({ ...order.options })));
    check(order, await context.findStreamInfo(null));
    const add = async (stream: Stream | undefined, deliver: Track["deliver"]) => {
      if (stream !== undefined) tracks.set(stream.index, await openTrack(order, stream, deliver));
    };
    const streamOf = (type: number) => context.streams.find(({ codecpar }) => codecpar.codecType === type);
    if (wants.video && streamOf(AVMEDIA_TYPE_VIDEO) === undefined) {
      throw new SourceProblem(`${capital(order.said)} has no picture. Choose another stream of it.`);
    }
    if (wants.video) await add(streamOf(AVMEDIA_TYPE_VIDEO), sink.video);
    if (wants.audio) await add(streamOf(AVMEDIA_TYPE_AUDIO), sink.audio);
    const hasAudio = wants.audio && streamOf(AVMEDIA_TYPE_AUDIO) !== undefined;
    const reading = readOn(order, context, tracks, sink);
    return { hasAudio, close: () => reading.stop().then(release) };
  } catch (error) {
    await release();
    throw error;
  }
};

function missingInput({ input, said }: InputOrder): string {
  const change =
    input === "pulse"
      ? 'Use { "kind": "alsa", "device": "pulse" } instead, with the ALSA plug-in of PulseAudio installed'
      : "Use a build of node-av that has it";
  return `${capital(said)} cannot be opened: the installed FFmpeg has no input "${input}". ${change}.`;
}

function check(order: InputOrder, code: number): void {
  if (code < 0) throw inputProblem(order, code);
}

async function openTrack(order: InputOrder, stream: Stream, deliver: Track["deliver"]): Promise<Track> {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (codec === null)
    throw new SourceProblem(
      `${capital(order.said)} sends a format that the installed FFmpeg cannot read. Choose H.264 or MJPEG in its settings.`,
    );
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  decoder.parametersToContext(stream.codecpar);
  decoder.threadCount = 1;
  decoder.setFlags(AV_CODEC_FLAG_LOW_DELAY);
  const code = await decoder.open2(codec, Dictionary.fromObject({ max_pixels: String(PIXELS_MAX) }));
  if (code < 0) {
    decoder.freeContext();
    throw inputProblem(order, code);
  }
  return { decoder, unitMs: (1_000 * stream.timeBase.num) / stream.timeBase.den, deliver };
}

/** One packet after the other: nothing waits here, what is too much is dropped by the device or by the taker. */
function readOn(order: InputOrder, context: FormatContext, tracks: ReadonlyMap<number, Track>, sink: InputSink) {
  const packet = new Packet();
  packet.alloc();
  let stopping = false;
  let damaged = 0;

  const decode = async (track: Track): Promise<void> => {
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
      track.deliver(frame, stampOf(frame, track.unitMs));
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
      if (!stopping) sink.ended(inputProblem(order, code));
    });

  return {
    async stop(): Promise<void> {
      stopping = true;
      context.interrupt();
      await done;
    },
  };
}

/** Frames without a stamp carry the smallest number of 64 bits. */
function stampOf(frame: Frame, unitMs: number): number | null {
  const stamp = frame.bestEffortTimestamp;
  return stamp < -(2n ** 62n) ? null : Number(stamp) * unitMs;
}
