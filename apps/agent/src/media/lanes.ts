import type { Clock } from "../ports/clock.ts";
import type { Picture, SourceFormat } from "../ports/source.ts";
import type { VideoCodec } from "../ports/transport.ts";
import type { Lane, LaneStats } from "./lane.ts";
import { createLane } from "./lane.ts";
import type { VideoProfile } from "./rate/video-profile.ts";
import type { PicturePackets } from "./rtp/picture-packets.ts";
import type { LastPicture } from "./viewer/clock-channel.ts";
import type { ViewerRole, ViewerSender } from "./viewer/viewer.ts";

/** A viewer as the lanes see it. */
export interface LaneViewer {
  readonly role: ViewerRole;
  /** The rate it would like, pictures a second. */
  readonly framesPerSecond?: number | undefined;
  readonly sender: ViewerSender;
}

export interface LanesDeps {
  readonly clock: Clock;
  readonly format: SourceFormat;
  readonly profile: VideoProfile;
  /** Everybody who watches now. */
  viewers(): Iterable<LaneViewer>;
  problem(sentence: string): void;
}

/** One encoder for each codec that is being watched: one for nearly every machine, none while nobody watches. */
export function createLanes(deps: LanesDeps) {
  const lanes = new Map<VideoCodec, Lane>();
  const last = new Map<VideoCodec, LastPicture>();

  const watching = (codec: VideoCodec) => [...deps.viewers()].filter(({ sender }) => sender.codec === codec);
  const deliver = (codec: VideoCodec, picture: PicturePackets) => {
    // The player's packets leave first: nobody waits for a spectator's.
    const viewers = watching(codec).toSorted((a, b) => Number(a.role === "spectator") - Number(b.role === "spectator"));
    const rate = rulingViewer(viewers)?.sender.bitrate ?? 0;
    last.set(codec, { timestamp: picture.timestamp, capturedAtMs: picture.capturedAtMs });
    for (const { role, sender } of viewers) {
      const thinned = role === "spectator" && sender.refused && sender.bitrate < rate;
      sender.picture(picture, thinned);
    }
  };
  const laneOf = (codec: VideoCodec): Lane => {
    const profile = { ...deps.profile, frameRate: wantedRate(deps.profile.frameRate, watching(codec)) };
    const before = lanes.get(codec);
    if (before?.frameRate === profile.frameRate) return before;
    // Another rate is another encoder, because it shares its bits out by it; its first picture is a key frame.
    void before?.close();
    const lane = createLane({ ...deps, profile, codec, deliver: (picture) => deliver(codec, picture) });
    lanes.set(codec, lane);
    return lane;
  };

  return {
    picture(picture: Picture): void {
      const codecs = new Set([...deps.viewers()].map(({ sender }) => sender.codec));
      for (const codec of codecs) if (codec) laneOf(codec).picture(picture);
    },
    /** A key frame for one viewer; a spectator's wish is rarer while a player watches. */
    wantKeyFrame(viewer: LaneViewer): void {
      const { codec } = viewer.sender;
      if (!codec) return;
      // Whatever codec the player has: another codec's key frames would take the same computer's time.
      const playerWatches = [...deps.viewers()].some(({ role, sender }) => role === "player" && sender.codec !== null);
      laneOf(codec).wantKeyFrame(viewer.role === "spectator" && playerWatches);
    },
    /** Follows the ruling viewer's rate and closes the encoders nobody watches any more. */
    step(): void {
      for (const [codec, lane] of lanes) {
        const ruling = rulingViewer(watching(codec));
        if (ruling) lane.setBitrate(ruling.sender.bitrate);
        else {
          lanes.delete(codec);
          last.delete(codec);
          void lane.close();
        }
      }
    },
    lastPicture: (codec: VideoCodec | null) => (codec ? (last.get(codec) ?? null) : null),
    stats: (): LaneStats[] => [...lanes.values()].map((lane) => lane.stats()),
    async close(): Promise<void> {
      const open = [...lanes.values()];
      lanes.clear();
      await Promise.all(open.map((lane) => lane.close()));
    },
  };
}

/** The rate of the profile, or the player's lower wish: spectators may come and go without another encoder. */
function wantedRate(frameRate: number, viewers: readonly LaneViewer[]): number {
  const wish = viewers.find(({ role }) => role === "player")?.framesPerSecond ?? frameRate;
  return Math.max(1, Math.min(frameRate, wish));
}

/** The player; without one the spectator in the middle, so that neither the best nor the worst link decides for all. */
export function rulingViewer<T extends LaneViewer>(viewers: readonly T[]): T | undefined {
  const player = viewers.find(({ role }) => role === "player");
  if (player) return player;
  const byRate = viewers.toSorted((a, b) => a.sender.bitrate - b.sender.bitrate);
  return byRate[(byRate.length - 1) >> 1];
}
