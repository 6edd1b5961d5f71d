import { AV_CODEC_ID_H264, Codec, CodecContext, FFmpegError, Frame, Packet } from "node-av";

/** The one picture of an H.264 access unit in Annex B that needs none before it. Rejects when it is none. */
export async function decodePicture(unit: Uint8Array) {
  const codec = Codec.findDecoder(AV_CODEC_ID_H264);
  if (codec === null) throw new Error("There is no H.264 decoder.");
  using context = new CodecContext();
  context.allocContext3(codec);
  FFmpegError.throwIfError(await context.open2(codec, null), "open");
  using packet = new Packet();
  using frame = new Frame();
  packet.alloc();
  frame.alloc();
  packet.data = Buffer.from(unit);
  FFmpegError.throwIfError(await context.sendPacket(packet), "sendPacket");
  await context.sendPacket(null);
  FFmpegError.throwIfError(await context.receiveFrame(frame), "receiveFrame");
  const { width, height } = frame;
  return { data: Uint8Array.from(frame.toBuffer()), width, height, layout: "i420" as const };
}
