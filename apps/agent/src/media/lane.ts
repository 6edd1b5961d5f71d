import type { LaneStats } from "../media-process/messages.ts";
import type { Clock } from "../ports/clock.ts";
import type { FrameArea, SourceFormat, VideoFrame } from "../ports/source.ts";
import type { VideoCodec } from "../ports/transport.ts";
import type { EncoderChoice } from "./encoder/encoder-choice.ts";
import { createEncoderChoice } from "./encoder/encoder-choice.ts";
import type { VideoEncoder, VideoProfile } from "./encoder/video-encoder.ts";
import { createFollowers } from "./followers.ts";
import type { FramePackets } from "./rtp/frame-packets.ts";
import { createFramePacketizer } from "./rtp/frame-packets.ts";
import { publishFrameStages } from "./stages.ts";

/**
 * Minimum time between key frames, ms: for the player; of the player's encoder, for those who do not play while a player watches; and beside it, where it costs
 * the player no bits.
 */
export const KEY_FRAME_GAP_MS = 300;
export const SPARE_KEY_FRAME_GAP_MS = 2_000;
export const FOLLOWERS_KEY_FRAME_GAP_MS = 500;
/**
 * Rate of the encoder that makes those, in proportion to the highest of the player's. Every frame of it is a key frame, and at 30 a second gets so many bits: of
 * 1280 x 720 some 40 KB, as sharp as the player's frames.
 */
const FOLLOWERS_RATE = 3;

/** For whom a key frame is: `player`, also where there is no player; `spare`, a viewer who must not cost the player; `follower`, the same where it has the player's codec. */
export type KeyFrameWish = "player" | "spare" | "follower";

/** One codec of one machine: frames in, packets out, at most one frame being encoded and none waiting. */
export interface Lane {
  readonly codec: VideoCodec;
  /** Frames a second it was made for. */
  readonly frameRate: number;
  /** Encodes a frame, unless it is too early for the profile or the last one is still being encoded. */
  frame(frame: VideoFrame): void;
  /** Opens the encoder before the first frame. */
  prepare(): void;
  setBitrate(bitsPerSecond: number): void;
  /** `takenFromMs`: no frame will do that was taken before. */
  wantKeyFrame(wish: KeyFrameWish, takenFromMs?: number): void;
  stats(): LaneStats;
  close(): Promise<void>;
}

interface LaneDeps {
  readonly clock: Clock;
  /** What encodes H.264; by default x264. */
  readonly encoders?: EncoderChoice | undefined;
  readonly codec: VideoCodec;
  readonly format: SourceFormat;
  readonly profile: VideoProfile;
  /** A frame for the player. */
  deliver(frame: FramePackets): void;
  /** A frame for all others: the same, or a key frame in its place. */
  follow(frame: FramePackets): void;
  problem(sentence: string): void;
}

/** Opens nothing before the first frame, or `prepare`. */
export function createLane(deps: LaneDeps): Lane {
  const { clock, codec, profile } = deps;
  const limits = createKeyFrameLimits();
  const packetize = createFramePacketizer(codec);
  const isPaced = createPace(profile.frameRate);
  const changedAreas = createChangedAreas();
  const holder = createEncoderHolder(deps);
  const beside = createKeyFramesBeside(deps, limits, () => holder.bitrate() / 8 / profile.frameRate);
  let closed = false;
  const figures = { encoded: 0, skipped: 0, keyFrames: 0, encodeMs: 0 };

  const encode = async (encoder: VideoEncoder, frame: VideoFrame, keyFrame: boolean) => {
    const encodeFromMs = clock.now();
    const key = keyFrame ? undefined : beside.keyFor(frame);
    try {
      const encoded = await encoder.encode(frame, keyFrame, changedAreas.take());
      if (!encoded && key) beside.again();
      if (!encoded || closed) return;
      const encodedAtMs = clock.now();
      figures.encoded += 1;
      figures.encodeMs += encodedAtMs - encodeFromMs;
      if (encoded.keyFrame) {
        figures.keyFrames += 1;
        limits.made(clock.now(), takenAt(frame));
      }
      const { capturedAtMs } = encoded;
      const packets = packetize(encoded.unit, encoded.keyFrame, capturedAtMs);
      const whole = { ...packets, takenAtMs: frame.takenAtMs, clock: frame.clock };
      deps.deliver(whole);
      beside.follow(whole, key);
      const { timestamp } = packets;
      publishFrameStages(() => ({ timestamp, capturedAtMs, encodeFromMs, encodedAtMs, sentAtMs: clock.now() }));
    } catch (error) {
      if (key) beside.again();
      if (!closed) holder.failed(encoder, error);
    }
  };

  return {
    codec,
    frameRate: profile.frameRate,
    frame(frame) {
      if (closed) return;
      changedAreas.add(frame);
      if (!(frame.outOfTurn || isPaced(frame.capturedAtMs))) return;
      const encoder = holder.ready();
      if (encoder?.busy) figures.skipped += 1;
      else if (encoder) void encode(encoder, frame, limits.due(clock.now(), takenAt(frame)));
    },
    prepare: () => void holder.ready(),
    setBitrate: holder.setBitrate,
    wantKeyFrame: (wish, takenFromMs) => limits.want(wish === "follower" && !beside.fits ? "spare" : wish, takenFromMs),
    stats: () => ({
      codec,
      bitrate: holder.bitrate(),
      ...figures,
      encodeMs: figures.encodeMs / Math.max(1, figures.encoded),
    }),
    async close() {
      closed = true;
      await Promise.all([holder.close(), beside.close()]);
    },
  };
}

/** When which key frame may be made. One of the player's encoder is one for all. */
function createKeyFrameLimits() {
  const urgent = createKeyFrameLimit(KEY_FRAME_GAP_MS);
  const spare = createKeyFrameLimit(SPARE_KEY_FRAME_GAP_MS);
  const later = createKeyFrameLimit(KEY_FRAME_GAP_MS);
  const beside = createKeyFrameLimit(FOLLOWERS_KEY_FRAME_GAP_MS);
  const own = [urgent, spare, later];
  return {
    beside,
    want(wish: KeyFrameWish, takenFromMs: number | undefined): void {
      if (wish === "follower") beside.want(takenFromMs);
      else if (takenFromMs !== undefined) later.want(takenFromMs);
      else (wish === "player" ? urgent : spare).want();
    },
    due: (nowMs: number, takenAtMs: number) => own.some((limit) => limit.due(nowMs, takenAtMs)),
    made(nowMs: number, takenAtMs: number): void {
      for (const limit of [...own, beside]) limit.made(nowMs, takenAtMs);
    },
  };
}

/** Key frames for those who do not play, by an encoder of their own, which is x264 whatever the player's is; `frameBytes`: see `FollowersDeps`. */
function createKeyFramesBeside(
  deps: LaneDeps,
  limits: ReturnType<typeof createKeyFrameLimits>,
  frameBytes: () => number,
) {
  const { clock, codec } = deps;
  const profile = { ...deps.profile, bitrateStart: deps.profile.bitrateMax * FOLLOWERS_RATE };
  const holder = createEncoderHolder({ ...deps, encoders: undefined, profile });
  const again = () => limits.want(followers.fits ? "follower" : "spare", undefined);
  let closed = false;
  const followers = createFollowers({
    ...{ follow: deps.follow, frameBytes, again },
    failed(encoder, error) {
      if (closed) return;
      holder.failed(encoder, error);
      again();
    },
  });
  return {
    get fits() {
      return codec === "h264" && followers.fits;
    },
    again,
    /** The encoder and the image, if one is to take this frame's place. The source paints over its own image while the player's frame is encoded. */
    keyFor(frame: VideoFrame) {
      if (!limits.beside.due(clock.now(), takenAt(frame))) return undefined;
      const encoder = holder.ready();
      if (encoder === null || encoder.busy) return undefined;
      limits.beside.made(clock.now(), takenAt(frame));
      return { encoder, image: { ...frame, data: Uint8Array.from(frame.data) } };
    },
    follow: (frame: FramePackets, key: Parameters<typeof followers.add>[1]) =>
      codec === "h264" ? followers.add(frame, key) : deps.follow(frame),
    async close(): Promise<void> {
      closed = true;
      await holder.close();
    },
  };
}

/** Even gaps at the wanted rate; half a gap of tolerance absorbs the jitter of the source. */
function createPace(frameRate: number): (capturedAtMs: number) => boolean {
  const gapMs = 1000 / frameRate;
  let dueAtMs = 0;
  return (capturedAtMs) => {
    if (capturedAtMs < dueAtMs - gapMs / 2) return false;
    dueAtMs = Math.max(dueAtMs + gapMs, capturedAtMs + gapMs / 2);
    return true;
  };
}

const takenAt = ({ takenAtMs, capturedAtMs }: VideoFrame): number => takenAtMs ?? capturedAtMs;

/** Decides when a wanted key frame may be made: each costs several ordinary frames. */
interface KeyFrameLimit {
  /** A key frame is needed, of a frame that was taken from then on; remembered until one is made. */
  want(takenFromMs?: number): void;
  /** True when a frame that was taken then is to be a key frame. */
  due(nowMs: number, takenAtMs: number): boolean;
  made(nowMs: number, takenAtMs: number): void;
}

/** At most one key frame each `gapMs`; a request within the gap waits for its end. */
export function createKeyFrameLimit(gapMs: number): KeyFrameLimit {
  let wantedFromMs: number | undefined;
  let madeAtMs = Number.NEGATIVE_INFINITY;
  return {
    want(takenFromMs = Number.NEGATIVE_INFINITY) {
      wantedFromMs = takenFromMs;
    },
    due: (nowMs, takenAtMs) => wantedFromMs !== undefined && takenAtMs >= wantedFromMs && nowMs - madeAtMs >= gapMs,
    made(nowMs, takenAtMs) {
      if (wantedFromMs !== undefined && takenAtMs >= wantedFromMs) wantedFromMs = undefined;
      madeAtMs = nowMs;
    },
  };
}

/** A failed encoder is opened again after this, ms. */
const RETRY_MS = 1_000;

type EncoderHolderDeps = Pick<LaneDeps, "clock" | "encoders" | "codec" | "format" | "profile" | "problem">;

/** One encoder, opened when it is first needed and again after it failed; x264 at once where a hardware encoder did. */
function createEncoderHolder(deps: EncoderHolderDeps) {
  const { clock, codec, profile, encoders = createEncoderChoice(clock) } = deps;
  let encoder: VideoEncoder | null = null;
  let opening: Promise<void> | null = null;
  /** What the present one is. */
  let isHardware = false;
  let retryAtMs = 0;
  let bitrate = profile.bitrateStart;
  let closed = false;

  const failed = (broken: VideoEncoder | null, error: unknown) => {
    if (encoder !== broken) return;
    encoder = null;
    void broken?.close();
    const why = error instanceof Error ? error.message : String(error);
    if (!isHardware) {
      retryAtMs = clock.now() + RETRY_MS;
      deps.problem(`The ${codec} encoder failed: ${why}`);
      return;
    }
    const name = encoders.now();
    if (encoders.failed()) deps.problem(`The encoder ${name} failed, and x264 encodes from now on: ${why}`);
    if (broken !== null) opening = open();
  };
  const open = async () => {
    const { width, height } = deps.format;
    const { frameRate, preset } = profile;
    isHardware = codec === "h264" && encoders.now() !== "x264";
    try {
      const opened = await encoders.open({ codec, width, height, frameRate, preset, bitrate });
      if (closed) await opened.close();
      else encoder = opened;
      encoder?.setBitrate(bitrate);
    } catch (error) {
      failed(null, error);
    }
    opening = null;
  };

  return {
    /** The encoder, or null while it opens; the frame is dropped then. */
    ready(): VideoEncoder | null {
      if (!encoder && !opening && !closed && clock.now() >= retryAtMs) opening = open();
      return encoder;
    },
    failed,
    bitrate: () => bitrate,
    setBitrate(bitsPerSecond: number): void {
      bitrate = bitsPerSecond;
      encoder?.setBitrate(bitsPerSecond);
    },
    async close(): Promise<void> {
      closed = true;
      await opening;
      await encoder?.close();
      encoder = null;
    },
  };
}

/** More areas than this cost as much as the whole frame. */
const AREAS_MAX = 256;

/** The areas that changed since the last encoded frame, in skipped frames and in the present one. */
interface ChangedAreas {
  /** Call it with every captured frame, whether it is encoded or not. */
  add(frame: VideoFrame): void;
  /** The areas that changed since the last call; null: any part of the frame may have changed. */
  take(): readonly FrameArea[] | null;
}

export function createChangedAreas(): ChangedAreas {
  let lastMs: number | null = null;
  let areas: FrameArea[] | null = null;
  return {
    add({ capturedAtMs, changed }) {
      // A frame that was compared with another than the last captured one is useless: frames between them were not captured.
      if (changed === undefined || changed.sinceMs !== lastMs) areas = null;
      else areas?.push(...changed.places);
      if (areas !== null && areas.length > AREAS_MAX) areas = null;
      lastMs = capturedAtMs;
    },
    take() {
      const taken = areas;
      areas = [];
      return taken;
    },
  };
}
