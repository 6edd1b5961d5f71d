import type { CodecContext, Packet } from "node-av";
import { AV_LOG_FATAL, AVERROR_EAGAIN, Codec, FFmpegError, Log } from "node-av";

let quiet = false;

/** FFmpeg writes to standard error by itself, camera addresses included; errors reach us as exceptions anyway. */
export function hushFfmpeg(): void {
  if (quiet) return;
  Log.setLevel(AV_LOG_FATAL);
  quiet = true;
}

/** An encoder of the linked FFmpeg by name. Throws a sentence when this build lacks it. */
export function findEncoder(name: string): Codec {
  hushFfmpeg();
  const codec = Codec.findEncoderByName(name as Parameters<typeof Codec.findEncoderByName>[0]);
  if (!codec) throw new Error(`The installed FFmpeg has no ${name}; use a build of node-av that has it.`);
  return codec;
}

/**
 * The next packet's bytes, copied, or null when the encoder wants more input first. FFmpeg has encoded when `sendFrame` resolves, so that this only fetches:
 * a detour through a worker thread would cost more.
 */
export function takePacket(context: CodecContext, packet: Packet): Buffer | null {
  const got = context.receivePacketSync(packet);
  if (got === AVERROR_EAGAIN) return null;
  FFmpegError.throwIfError(got, "receivePacket");
  return packet.data ? Buffer.from(packet.data) : null;
}
