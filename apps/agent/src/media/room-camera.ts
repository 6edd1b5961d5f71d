import type { Clock } from "../ports/clock.ts";
import type { Source } from "../ports/source.ts";
import { createCapture } from "./capture.ts";
import type { LaneStats } from "./lane.ts";
import { createLanes } from "./lanes.ts";
import type { VideoProfile } from "./rate/video-profile.ts";
import type { Entry } from "./viewer/join.ts";
import { ROOM_BITRATE } from "./viewer/room-sender.ts";

/** Pictures a second of the room. */
const ROOM_FRAME_RATE = 12;

export interface RoomCameraDeps {
  /** Undefined: the machine has none, and everything here does nothing. */
  readonly source: Source | undefined;
  readonly clock: Clock;
  /** Everybody who watches the machine. */
  entries(): Iterable<Entry>;
  problem(sentence: string): void;
}

/** The second track of a machine: a small picture of the room with an encoder of its own, running only while somebody watches it. */
export interface RoomCamera {
  /** Somebody came, went, or switched it. */
  settle(): void;
  wantKeyFrame(entry: Entry): void;
  /** Each 300 ms: closes encoders nobody watches any more. */
  step(): void;
  stats(): LaneStats[];
  close(): Promise<void>;
}

const NOTHING: RoomCamera = {
  settle: () => undefined,
  wantKeyFrame: () => undefined,
  step: () => undefined,
  stats: () => [],
  close: async () => undefined,
};

export function createRoomCamera({ source, clock, entries, problem }: RoomCameraDeps): RoomCamera {
  if (source === undefined) return NOTHING;
  const say = (sentence: string) => problem(`The room camera: ${sentence}`);
  const watching = () => [...entries()].filter(({ room }) => room.on);
  /** Those whose link is too narrow are left out, and start again with a key frame. */
  const served = () => watching().filter(({ room }) => room.place.free);
  const { format } = source;
  const lanes = createLanes({
    clock,
    format,
    profile: roomProfile(format.frameRate),
    viewers: () => served().map(({ role, room }) => ({ role, sender: room.sender })),
    problem: say,
  });
  const left = new Set<Entry>();
  const capture = createCapture(
    source,
    clock,
    { video: (picture) => lanes.picture(picture), audio: () => undefined },
    say,
  );
  const wantKeyFrame = ({ role, room }: Entry) => {
    if (room.on && room.place.free) lanes.wantKeyFrame({ role, sender: room.sender });
  };

  return {
    settle: () => capture.want(watching().length > 0),
    wantKeyFrame,
    step() {
      // Whoever has gone switched nothing off.
      const still = new Set(watching());
      for (const entry of left) if (!still.has(entry)) left.delete(entry);
      for (const entry of still) {
        entry.room.place.look(entry.sender, clock.now());
        if (!entry.room.place.free) {
          left.add(entry);
          entry.room.sender.skipped();
        } else if (left.delete(entry)) wantKeyFrame(entry);
      }
      lanes.step();
    },
    stats: lanes.stats,
    async close() {
      await capture.close();
      await lanes.close();
    },
  };
}

function roomProfile(sourceRate: number): VideoProfile {
  return {
    frameRate: Math.min(ROOM_FRAME_RATE, sourceRate),
    bitrateStart: ROOM_BITRATE,
    bitrateMin: ROOM_BITRATE,
    bitrateMax: ROOM_BITRATE,
    preset: "ultrafast",
  };
}
