import { AV_PICTURE_TYPE_I } from "node-av";
import { Decoder, Demuxer } from "node-av/api";

/** One shown frame of a clip: ms from the clip's begin, and its pixels (I420). */
export type ShownFrame = {
  readonly atMs: number;
  readonly width: number;
  readonly height: number;
  /** It needs no other frame. */
  readonly keyFrame: boolean;
  readonly data: Uint8Array;
};
export type DecodedClip = { readonly frames: ShownFrame[]; readonly soundMs: number[] };

/** Reads an MP4 with FFmpeg's own reader and decoder, which share no code with the writer. */
export async function decodeClip(mp4: Buffer): Promise<DecodedClip> {
  const frames: ShownFrame[] = [];
  const soundMs: number[] = [];
  await using input = await Demuxer.open(mp4);
  const video = input.video();
  if (video === undefined) throw new Error("The clip has no video.");
  using decoder = await Decoder.create(video);
  const base = video.timeBase;
  for await (const frame of decoder.frames(input.packets(video.index))) {
    if (frame === null) continue;
    const atMs = (Number(frame.pts) * base.num * 1_000) / base.den;
    const { width, height } = frame;
    frames.push({
      atMs,
      width,
      height,
      keyFrame: frame.pictType === AV_PICTURE_TYPE_I,
      data: Uint8Array.from(frame.toBuffer()),
    });
    frame.free();
  }
  await using again = await Demuxer.open(mp4);
  const sound = again.audio();
  if (sound === undefined) return { frames, soundMs };
  for await (const packet of again.packets(sound.index)) {
    if (packet === null) continue;
    soundMs.push((Number(packet.pts) * sound.timeBase.num * 1_000) / sound.timeBase.den);
    packet.free();
  }
  return { frames, soundMs };
}
