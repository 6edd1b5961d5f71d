import {
  AV_CHANNEL_LAYOUT_STEREO,
  AV_SAMPLE_FMT_S16,
  CodecContext,
  Dictionary,
  FFmpegError,
  Frame,
  Packet,
  Rational,
} from "node-av";
import type { SoundBlock } from "../../ports/source.ts";
import { SOUND_BLOCK_FRAMES, SOUND_SAMPLE_RATE } from "../../ports/source.ts";
import { findEncoder, takePacket } from "./av.ts";

/** Bit/s of the sound; transparent enough for reels and coins. */
export const SOUND_BITRATE = 64_000;
/** Blocks that may wait; more means that the computer is overloaded, and late sound is useless. */
const WAITING_MAX = 3;

export interface SoundEncoder {
  /**
   * One Opus packet of 20 ms, in order. The samples are copied before this returns. Null when the block was dropped
   * because too many wait, or after close.
   */
  encode(block: SoundBlock): Promise<Buffer | null>;
  close(): Promise<void>;
}

/** Opens libopus for 48 kHz stereo. Rejects with a sentence when it is missing. */
export async function createSoundEncoder(): Promise<SoundEncoder> {
  const codec = findEncoder("libopus");
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = SOUND_SAMPLE_RATE;
  context.sampleFormat = AV_SAMPLE_FMT_S16;
  context.channelLayout = AV_CHANNEL_LAYOUT_STEREO;
  context.bitRate = BigInt(SOUND_BITRATE);
  context.timeBase = new Rational(1, SOUND_SAMPLE_RATE);
  const options = Dictionary.fromObject({ application: "lowdelay", frame_duration: "20", packet_loss: "3", fec: "1" });
  FFmpegError.throwIfError(await context.open2(codec, options), "open2");
  const packet = new Packet();
  packet.alloc();
  let waiting = 0;
  let blocks = 0;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  const run = async (samples: Buffer): Promise<Buffer | null> => {
    const frame = Frame.fromAudioBuffer(samples, {
      sampleRate: SOUND_SAMPLE_RATE,
      format: AV_SAMPLE_FMT_S16,
      channelLayout: AV_CHANNEL_LAYOUT_STEREO,
      nbSamples: SOUND_BLOCK_FRAMES,
      timeBase: { num: 1, den: SOUND_SAMPLE_RATE },
    });
    try {
      frame.pts = BigInt(blocks * SOUND_BLOCK_FRAMES);
      blocks += 1;
      FFmpegError.throwIfError(await context.sendFrame(frame), "sendFrame");
      const bytes = takePacket(context, packet);
      packet.unref();
      return bytes;
    } finally {
      frame.free();
    }
  };

  return {
    encode(block) {
      if (closed || waiting >= WAITING_MAX) return Promise.resolve(null);
      waiting += 1;
      const { buffer, byteOffset, byteLength } = block.samples;
      const samples = Buffer.from(Buffer.from(buffer, byteOffset, byteLength));
      const done = last
        .then(() => run(samples))
        .finally(() => {
          waiting -= 1;
        });
      last = done.catch(() => undefined);
      return done;
    },
    async close() {
      if (closed) return;
      closed = true;
      await last;
      packet.free();
      context.freeContext();
    },
  };
}
