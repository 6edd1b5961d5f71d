import type { LaneStats } from "../media-process/messages.ts";
import type { Clock } from "../ports/clock.ts";
import type { SourceFormat, VideoFrame } from "../ports/source.ts";
import type { VideoCodec } from "../ports/transport.ts";
import type { EncoderChoice } from "./encoder/encoder-choice.ts";
import type { VideoProfile } from "./encoder/video-encoder.ts";
import type { KeyFrameWish, Lane } from "./lane.ts";
import { createLane } from "./lane.ts";
import type { FramePackets } from "./rtp/frame-packets.ts";
import type { ViewerRole, ViewerSender } from "./viewer/sender.ts";

/** The last frame sent: its RTP timestamp and when it was captured (ms). */
export type LastFrame = Pick<FramePackets, "timestamp" | "capturedAtMs">;

/** The part of a viewer that the lanes use. */
export interface LaneViewer {
  readonly role: ViewerRole;
  /** The frame rate that it wants. */
  readonly framesPerSecond?: number | undefined;
  /** The codec that it will have once it is connected; null afterwards. */
  readonly coming?: VideoCodec | null;
  readonly sender: Pick<ViewerSender, "codec" | "bitrate" | "refused" | "frame">;
}

export interface LanesDeps {
  readonly clock: Clock;
  /** What encodes H.264; by default x264. */
  readonly encoders?: EncoderChoice | undefined;
  readonly format: SourceFormat;
  readonly profile: VideoProfile;
  /** The present viewers. */
  viewers(): Iterable<LaneViewer>;
  /** Takes frames as they do and sees none: what it was given is nothing that a viewer was shown. */
  readonly recorder?: LaneViewer;
  problem(sentence: string): void;
}

/** What an encoder that runs for staff alone may use: no player depends on its frames. Frames a second, and bit/s. */
export const STAFF_FRAME_RATE = 12;
export const STAFF_BITRATE = 800_000;
/** Those whose codec is encoded in any case. */
const AUDIENCE: ReadonlySet<ViewerRole> = new Set(["player", "spectator"]);
/** In this order a frame leaves. */
const ORDER: Readonly<Record<ViewerRole, number>> = { player: 0, spectator: 1, crowd: 2, staff: 3 };

/** One encoder for each codec that viewers have: one for nearly every machine, none without viewers. */
export function createLanes(deps: LanesDeps) {
  const last = new Map<VideoCodec, LastFrame>();

  const takers = (): LaneViewer[] =>
    served([...deps.viewers(), ...(deps.recorder === undefined ? [] : [deps.recorder])]);
  const watching = (codec: VideoCodec) => takers().filter(({ sender }) => sender.codec === codec);
  const isSeen = (viewers: readonly LaneViewer[]) => viewers.some((viewer) => viewer !== deps.recorder);
  const deliver = (codec: VideoCodec, frame: FramePackets, isFor: (role: ViewerRole) => boolean) => {
    const viewers = watching(codec).toSorted((a, b) => ORDER[a.role] - ORDER[b.role]);
    if (isSeen(viewers)) last.set(codec, { timestamp: frame.timestamp, capturedAtMs: frame.capturedAtMs });
    sendTo(viewers, frame, isFor);
  };
  const rateFor = (viewers: readonly LaneViewer[]) => wantedRate(deps.profile.frameRate, viewers);
  const lanes = createLaneSet((codec, frameRate) =>
    createLane({
      ...deps,
      profile: { ...deps.profile, frameRate },
      codec,
      deliver: (frame) => deliver(codec, frame, isPlayer),
      follow: (frame) => deliver(codec, frame, (role) => !isPlayer(role)),
    }),
  );
  const laneOf = (codec: VideoCodec): Lane => lanes.of(codec, rateFor(watching(codec)));
  const isExpected = (codec: VideoCodec) => [...deps.viewers()].some(({ coming }) => coming === codec);

  return {
    frame(frame: VideoFrame): void {
      const codecs = new Set(takers().map(({ sender }) => sender.codec));
      for (const codec of codecs) if (codec) laneOf(codec).frame(frame);
    },
    /** Opens the encoder that a viewer needs while it still connects: that takes longer than a frame, which would be left out. */
    prepare(viewer: LaneViewer): void {
      const { role, coming } = viewer;
      if (!coming || !AUDIENCE.has(role)) return;
      lanes.prepare(coming, rateFor([...watching(coming), viewer]));
    },
    /** A key frame for one viewer, of a frame that was taken from a time on. While a player watches, one for somebody else costs the player's stream nothing, or is rarer. */
    wantKeyFrame(viewer: LaneViewer, takenFromMs?: number): void {
      const { codec } = viewer.sender;
      if (!codec || !watching(codec).some(({ sender }) => sender === viewer.sender)) return;
      laneOf(codec).wantKeyFrame(wishOf(viewer, [...deps.viewers()]), takenFromMs);
    },
    /** Follows the ruling viewer's bitrate and closes encoders without viewers. */
    step(): void {
      for (const [codec, lane] of lanes.open) {
        const viewers = watching(codec);
        const ruling = rulingViewer(viewers);
        if (!isSeen(viewers)) last.delete(codec);
        if (ruling) lane.setBitrate(rateOf(ruling));
        else if (!isExpected(codec)) lanes.shut(codec);
      }
      lanes.shutReady((codec) => !isExpected(codec));
    },
    lastFrame: (codec: VideoCodec | null) => (codec ? (last.get(codec) ?? null) : null),
    /** When the newest frame that went to viewers was captured, ms; undefined: none went since the last viewer left. */
    picturedAt: (): number | undefined => newestOf([...last.values()]),
    stats: (): LaneStats[] => [...lanes.open.values()].map((lane) => lane.stats()),
    close: lanes.close,
  };
}

/** The lanes by codec. */
function createLaneSet(make: (codec: VideoCodec, frameRate: number) => Lane) {
  const open = new Map<VideoCodec, Lane>();
  /** For a viewer who still connects, beside one that runs at another rate: for staff or a recording alone. */
  const ready = new Map<VideoCodec, Lane>();
  const shutIn = (lanes: Map<VideoCodec, Lane>, codec: VideoCodec): void => {
    void lanes.get(codec)?.close();
    lanes.delete(codec);
  };

  /** Another frame rate needs another encoder, because it divides its bits by it; its first frame is a key frame. */
  function of(codec: VideoCodec, frameRate: number): Lane {
    const before = open.get(codec);
    if (before?.frameRate === frameRate) return before;
    shutIn(open, codec);
    const prepared = ready.get(codec);
    const lane = prepared?.frameRate === frameRate ? prepared : make(codec, frameRate);
    if (lane === prepared) ready.delete(codec);
    open.set(codec, lane);
    return lane;
  }

  return {
    open: open as ReadonlyMap<VideoCodec, Lane>,
    of,
    prepare(codec: VideoCodec, frameRate: number): void {
      if (!open.has(codec)) of(codec, frameRate).prepare();
      else if (![open, ready].some((lanes) => lanes.get(codec)?.frameRate === frameRate)) {
        shutIn(ready, codec);
        const lane = make(codec, frameRate);
        ready.set(codec, lane);
        lane.prepare();
      }
    },
    shut: (codec: VideoCodec): void => shutIn(open, codec),
    shutReady(isOver: (codec: VideoCodec) => boolean): void {
      for (const codec of ready.keys()) if (isOver(codec)) shutIn(ready, codec);
    },
    async close(): Promise<void> {
      const all = [...open.values(), ...ready.values()];
      open.clear();
      ready.clear();
      await Promise.all(all.map((lane) => lane.close()));
    },
  };
}

const isPlayer = (role: ViewerRole): boolean => role === "player";

function sendTo(viewers: readonly LaneViewer[], frame: FramePackets, isFor: (role: ViewerRole) => boolean): void {
  const rate = rulingViewer(viewers)?.sender.bitrate ?? 0;
  for (const { role, sender } of viewers) {
    const thinned = !isPlayer(role) && sender.refused && sender.bitrate < rate;
    if (isFor(role)) sender.frame(frame, thinned);
  }
}

/** Whose key frame it is: whatever codec a player has, key frames of another codec use the same processor. */
function wishOf(viewer: LaneViewer, viewers: readonly LaneViewer[]): KeyFrameWish {
  const players = viewers.filter(({ role, sender }) => isPlayer(role) && sender.codec !== null);
  if (isPlayer(viewer.role) || players.length === 0) return "player";
  return players.some(({ sender }) => sender.codec === viewer.sender.codec) ? "follower" : "spare";
}

const newestOf = (frames: readonly LastFrame[]): number | undefined =>
  frames.length === 0 ? undefined : Math.max(...frames.map(({ capturedAtMs }) => capturedAtMs));

/**
 * The viewers that frames are encoded for: all but staff and crowd that want another codec than a player who watches, because a second encoder
 * would share the processor with the player's own. Where spectators have that codec anyway it costs nothing more.
 */
function served(viewers: Iterable<LaneViewer>): LaneViewer[] {
  const all = [...viewers];
  const audience = all.filter(({ role }) => AUDIENCE.has(role));
  if (!audience.some(({ role, sender }) => role === "player" && sender.codec !== null)) return all;
  const codecs = new Set(audience.map(({ sender }) => sender.codec));
  return all.filter(({ role, sender }) => AUDIENCE.has(role) || codecs.has(sender.codec));
}

/**
 * The frame rate of the profile, or the lower one that the player wants: spectators may join and leave without another encoder. For staff alone it
 * is a low one.
 */
function wantedRate(frameRate: number, viewers: readonly LaneViewer[]): number {
  const isStaffAlone = viewers.length > 0 && viewers.every(({ role }) => role === "staff");
  const wish = isStaffAlone ? STAFF_FRAME_RATE : viewers.find(({ role }) => role === "player")?.framesPerSecond;
  return Math.max(1, Math.min(frameRate, wish ?? frameRate));
}

const rateOf = ({ role, sender }: LaneViewer): number =>
  role === "staff" ? Math.min(STAFF_BITRATE, sender.bitrate) : sender.bitrate;

/**
 * The player; else of spectators and crowd the one with the median bitrate, so that neither the best nor the worst link decides for all; staff only
 * where it watches alone.
 */
export function rulingViewer<T extends LaneViewer>(viewers: readonly T[]): T | undefined {
  const player = viewers.find(({ role }) => role === "player");
  if (player) return player;
  const spectators = viewers.filter(({ role }) => role === "spectator" || role === "crowd");
  const byRate = (spectators.length > 0 ? spectators : viewers).toSorted((a, b) => a.sender.bitrate - b.sender.bitrate);
  return byRate[(byRate.length - 1) >> 1];
}
