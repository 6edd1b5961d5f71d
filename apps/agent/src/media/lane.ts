import type { Clock } from "../ports/clock.ts";
import type { Picture, SourceFormat } from "../ports/source.ts";
import type { VideoCodec } from "../ports/transport.ts";
import { createEncoderHolder } from "./encoder/encoder-holder.ts";
import type { VideoEncoder } from "./encoder/video-encoder.ts";
import type { VideoProfile } from "./rate/video-profile.ts";
import { createKeyFrameLimit } from "./rtcp/key-frame-limit.ts";
import type { PicturePackets } from "./rtp/picture-packets.ts";
import { createPicturePacketizer } from "./rtp/picture-packets.ts";
import { tellPicture } from "./told-stages.ts";
import { createUnseen } from "./unseen.ts";

/** Least time between key frames, ms: for the player, and for spectators while a player watches. */
export const KEY_FRAME_GAP_MS = 300;
export const SPARE_KEY_FRAME_GAP_MS = 2_000;

/** Figures of one encoder. */
export interface LaneStats {
  readonly codec: VideoCodec;
  readonly bitrate: number;
  readonly encoded: number;
  /** Pictures left out because the last one was still being encoded. */
  readonly skipped: number;
  readonly keyFrames: number;
  /** Mean time of one encode, ms. */
  readonly encodeMs: number;
}

/** One codec of one machine: pictures in, packets out, at most one picture under way and none waiting. */
export interface Lane {
  readonly codec: VideoCodec;
  /** Pictures a second it was made for. */
  readonly frameRate: number;
  /** Encodes a picture unless it comes too early for the profile or the last one is under way. */
  picture(picture: Picture): void;
  setBitrate(bitsPerSecond: number): void;
  /** `spare`: the wish of a spectator, which must not cost the player. */
  wantKeyFrame(spare: boolean): void;
  stats(): LaneStats;
  close(): Promise<void>;
}

export interface LaneDeps {
  readonly clock: Clock;
  readonly codec: VideoCodec;
  readonly format: SourceFormat;
  readonly profile: VideoProfile;
  deliver(picture: PicturePackets): void;
  problem(sentence: string): void;
}

/** Opens nothing before the first picture. */
export function createLane(deps: LaneDeps): Lane {
  const { clock, codec, profile } = deps;
  const urgent = createKeyFrameLimit(KEY_FRAME_GAP_MS);
  const spare = createKeyFrameLimit(SPARE_KEY_FRAME_GAP_MS);
  const packetize = createPicturePacketizer(codec);
  const isDue = createPace(profile.frameRate);
  const unseen = createUnseen();
  const holder = createEncoderHolder(deps);
  let closed = false;
  const figures = { encoded: 0, skipped: 0, keyFrames: 0, encodeMs: 0 };

  const encode = async (encoder: VideoEncoder, picture: Picture, keyFrame: boolean) => {
    const encodeFromMs = clock.now();
    try {
      const encoded = await encoder.encode(picture, keyFrame, unseen.take());
      if (!encoded || closed) return;
      const encodedAtMs = clock.now();
      figures.encoded += 1;
      figures.encodeMs += encodedAtMs - encodeFromMs;
      if (encoded.keyFrame) {
        figures.keyFrames += 1;
        urgent.made(clock.now());
        spare.made(clock.now());
      }
      const { capturedAtMs } = encoded;
      const packets = packetize(encoded.unit, encoded.keyFrame, capturedAtMs);
      deps.deliver(packets);
      const { timestamp } = packets;
      tellPicture(() => ({ timestamp, capturedAtMs, encodeFromMs, encodedAtMs, sentAtMs: clock.now() }));
    } catch (error) {
      if (!closed) holder.failed(encoder, error);
    }
  };

  return {
    codec,
    frameRate: profile.frameRate,
    picture(picture) {
      if (closed) return;
      unseen.heard(picture);
      if (!(picture.outOfTurn || isDue(picture.capturedAtMs))) return;
      const encoder = holder.ready();
      if (encoder?.busy) figures.skipped += 1;
      else if (encoder) void encode(encoder, picture, urgent.due(clock.now()) || spare.due(clock.now()));
    },
    setBitrate: holder.setBitrate,
    wantKeyFrame: (isSpare) => (isSpare ? spare : urgent).want(),
    stats: () => ({
      codec,
      bitrate: holder.bitrate(),
      ...figures,
      encodeMs: figures.encodeMs / Math.max(1, figures.encoded),
    }),
    async close() {
      closed = true;
      await holder.close();
    },
  };
}

/** Even gaps at the wanted rate; half a gap of tolerance swallows the jitter of the source. */
function createPace(frameRate: number): (capturedAtMs: number) => boolean {
  const gapMs = 1000 / frameRate;
  let dueAtMs = 0;
  return (capturedAtMs) => {
    if (capturedAtMs < dueAtMs - gapMs / 2) return false;
    dueAtMs = Math.max(dueAtMs + gapMs, capturedAtMs + gapMs / 2);
    return true;
  };
}
