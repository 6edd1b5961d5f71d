import type { LaneStats } from "../media-process/messages.ts";
import type { Clock, Stop } from "../ports/clock.ts";
import type { SoundBlock, Source, VideoFrame } from "../ports/source.ts";
import { SOUND_BLOCK_FRAMES } from "../ports/source.ts";
import type { Exchange, Transport, VideoCodec } from "../ports/transport.ts";
import { OfferProblem, PlacesTaken } from "../ports/transport.ts";
import type { RecordDisk, Recorder, RecordOrder } from "../recording/recorder.ts";
import { createRecorder } from "../recording/recorder.ts";
import { createCapture } from "./capture.ts";
import type { PublisherDeps } from "./crowd/publisher.ts";
import { createPublisher } from "./crowd/publisher.ts";
import type { EncoderChoice } from "./encoder/encoder-choice.ts";
import type { SoundEncoder } from "./encoder/sound-encoder.ts";
import { createSoundEncoder } from "./encoder/sound-encoder.ts";
import { encodeStill } from "./encoder/still-encoder.ts";
import type { VideoProfile } from "./encoder/video-encoder.ts";
import { videoProfile } from "./encoder/video-encoder.ts";
import { createLanes } from "./lanes.ts";
import type { MediaPacket } from "./rtp/rtp.ts";
import { rtpTimestamp, SOUND_CLOCK_HZ } from "./rtp/rtp.ts";
import { RATE_LOOK_MS } from "./viewer/rate-control.ts";
import { ROOM_BITRATE } from "./viewer/room-sender.ts";
import type { ViewerRole } from "./viewer/sender.ts";
import type { Succession } from "./viewer/succession.ts";
import { createSuccession } from "./viewer/succession.ts";
import type { BroadcastViewer, Entry, JoinDeps, Joining, ViewerRequest } from "./viewer/viewer.ts";
import { joinViewer } from "./viewer/viewer.ts";

/** Sender reports, ms. */
const REPORT_MS = 1_000;
/** A viewer who does not play and whose link carries no video for this long is disconnected, ms. */
const HELD_MS_MAX = 20_000;
const VIEWERS_MAX = 16;
/** Places among them that are reserved for the player: a player who returns joins before the old connection is gone. */
const PLAYER_PLACES = 3;
/** Consoles at one machine, beside the others: they take no place of a spectator, and no spectator takes theirs. */
const STAFF_PLACES = 2;

export interface BroadcastDeps {
  readonly source: Source;
  /** A camera of the room, when the machine has one: a second video track for viewers who want it. */
  readonly roomCamera?: Source | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  /** What encodes H.264; by default x264. */
  readonly encoders?: EncoderChoice;
  /** Where play is recorded. Absent: it is not. */
  readonly disk?: RecordDisk;
  /** Where the machine is published for a crowd. Absent: nowhere. */
  readonly crowd?: Pick<PublisherDeps, "from" | "random" | "post"> | undefined;
  /** By default chosen for the source's size. */
  readonly profile?: VideoProfile;
  /** Maximum number of viewers, the player included. */
  readonly viewersMax?: number;
  /** A sentence for the log: the source or an encoder failed and will be opened again. */
  problem?(sentence: string): void;
}

/** The part of a viewer that the rest of the agent uses. */
export type MachineViewer = Pick<BroadcastViewer, "viewerId" | "role" | "addCandidate" | "renegotiate" | "close">;

/** One machine's video and sound for its viewers, in whichever process they are made. */
export interface MachineBroadcast {
  /** Rejects with an `OfferProblem` when the offer is refused or there are too many viewers. */
  addViewer(request: ViewerRequest): Promise<{ sdp: string; viewer: MachineViewer }>;
  viewers(): MachineViewer[];
  /** A WebP of 640 × 400 of the machine now, made without the video encoder. */
  still(): Promise<Buffer>;
  /** One entry for each running encoder; empty without viewers. */
  stats(): LaneStats[];
  /** When the newest picture that went to viewers was taken, ms; undefined: none went since the last viewer left. */
  picturedAt(): number | undefined;
  /** Records from now on; undefined: no more. Resolves when the record before is on the disk. */
  record(order: RecordOrder | undefined): Promise<void>;
  /** A game begins: where it is recorded, the record has a key frame there. */
  gameBegan(): void;
  close(): Promise<void>;
}

/** The same, in the process that makes it. */
export interface Broadcast extends MachineBroadcast {
  addViewer(request: ViewerRequest): Promise<{ sdp: string; viewer: BroadcastViewer }>;
  viewers(): BroadcastViewer[];
  /** For every viewer, limited like the player's wishes. */
  requestKeyFrame(): void;
  /** As `stats`, of the room camera; empty while it has no viewer. */
  roomStats(): LaneStats[];
}

/** Costs nothing without viewers: the source is opened for the first and closed after the last. */
export function createBroadcast(deps: BroadcastDeps): Broadcast {
  const { source } = deps;
  const entries = createSuccession();
  const settled = () => publisher?.watched(entries.viewers().filter(({ role }) => role === "spectator").length);
  const machinery = createMachinery(deps, entries, settled);
  const places = createPlaces(entries, deps.viewersMax ?? VIEWERS_MAX);
  let closed = false;

  const admit = async (joining: ReturnType<typeof joinViewer>) => {
    const { sdp, entry } = await joining;
    const reason = entry.goneBecause() ?? (closed ? "The machine's video is closed; try another machine." : null);
    if (reason !== null) {
      await entry.end(null);
      throw new OfferProblem(reason);
    }
    const joined = entries.join(entry);
    machinery.settle();
    machinery.lanes.prepare(entry);
    return { sdp, viewer: await joined };
  };
  /** A viewer like any other, but for its connection. */
  const join = async (exchange: Exchange, lost: (reason: string) => void) => {
    const request: Joining = { ...CROWD, closed: lost };
    const publish = joinViewer(machinery.joinDeps, request, async (_, events) => ({
      sdp: "",
      ...(await deps.transport.publish(exchange, events)),
    }));
    return (await admit(publish)).viewer;
  };
  const { clock, problem = () => undefined } = deps;
  const publisher = deps.crowd && createPublisher({ ...deps.crowd, clock, join, problem });
  settled();

  return {
    async addViewer(request) {
      if (closed) throw new OfferProblem("The machine's video is closed; try another machine.");
      const leave = places.take(request);
      try {
        return await admit(joinViewer(machinery.joinDeps, request));
      } finally {
        leave();
      }
    },
    viewers: () => entries.viewers().map(({ viewer }) => viewer),
    requestKeyFrame() {
      for (const entry of entries.all()) machinery.lanes.wantKeyFrame(entry);
    },
    still: async () => encodeStill(await source.still(), source.glass),
    stats: () => machinery.lanes.stats(),
    picturedAt: () => machinery.lanes.picturedAt(),
    roomStats: () => machinery.room.stats(),
    record: machinery.record,
    gameBegan: machinery.gameBegan,
    async close() {
      closed = true;
      await Promise.all([publisher?.close(), machinery.record(undefined)]);
      await Promise.all([...entries.all()].map(({ end }) => end(null)));
      await machinery.close();
    },
  };
}

/** What the crowd's media server is among the viewers: it made no offer, and takes no place. No id of the platform has a space. */
const CROWD = { viewerId: "the crowd", role: "crowd", sdp: "", iceServers: [], presses: null } as const;

/** Limits the number of viewers, and among them of spectators; staff is counted by itself. */
function createPlaces(entries: Succession, viewersMax: number) {
  const joining = new Set<Pick<ViewerRequest, "role">>();
  return {
    /** Reserves a place while the offer is being answered; throws an `OfferProblem` when none is free. */
    take(request: ViewerRequest): () => void {
      const others = [...entries.viewers(), ...joining];
      const count = (wanted: ViewerRole) => others.filter(({ role }) => role === wanted).length;
      const audience = count("player") + count("spectator");
      const full = {
        player: audience >= viewersMax,
        spectator: audience >= viewersMax || count("spectator") >= viewersMax - PLAYER_PLACES,
        staff: count("staff") >= STAFF_PLACES,
      }[request.role];
      if (full && !entries.has(request.viewerId)) throw new PlacesTaken();
      joining.add(request);
      return () => void joining.delete(request);
    },
  };
}

function reportTo(entries: Succession): void {
  for (const { sender, room } of entries.all()) {
    sender.report();
    if (room.on) room.sender.report();
  }
}

/** Source, encoders and timers of one machine, running exactly while `entries` is not empty. */
function createMachinery(deps: BroadcastDeps, entries: Succession, settled: () => void) {
  const { clock, source } = deps;
  const profile = deps.profile ?? videoProfile(source.format);
  const problem = (sentence: string) => deps.problem?.(sentence);
  const recorder = recorderOf(deps, entries, () => recorder && lanes.wantKeyFrame(recorder.viewer));
  const lanes = createLanes({
    ...{ clock, encoders: deps.encoders, format: source.format, profile, problem },
    viewers: () => entries.all(),
    ...(recorder && { recorder: recorder.viewer }),
  });
  // Not one of the frames that are on their way from the camera: the game's record begins there. No more come than games.
  const gameBegan = (): void => {
    if (recorder?.on === true) lanes.wantKeyFrame(recorder.viewer, clock.now());
  };
  const room = createRoomCamera({ source: deps.roomCamera, clock, entries: () => entries.all(), problem });
  const sound = createSoundLane((packet) => {
    for (const { sender } of entries.all()) sender.sound(packet);
    recorder?.sound(packet);
  }, problem);
  const isHeard = () => recorder?.on === true || [...entries.all()].some(({ sender }) => sender.connected);
  const sink = {
    video: (frame: VideoFrame) => lanes.frame(frame),
    audio: (block: SoundBlock) => void (isHeard() && sound.block(block)),
  };
  const capture = createCapture(source, clock, sink, problem);
  let stops: Stop[] = [];

  const step = () => {
    for (const entry of entries.all()) if (stepViewer(entry)) lanes.wantKeyFrame(entry);
    lanes.step();
    room.step();
  };
  const settle = () => {
    const wanted = entries.viewers().length > 0 || recorder?.on === true;
    if (wanted && stops.length === 0)
      stops = [clock.every(RATE_LOOK_MS, step), clock.every(REPORT_MS, () => reportTo(entries))];
    if (!wanted) {
      for (const stop of stops.splice(0)) stop();
      lanes.step();
      room.step();
    }
    capture.want(wanted);
    room.settle();
    settled();
  };

  return {
    lanes,
    room,
    settle,
    gameBegan,
    async record(order: RecordOrder | undefined): Promise<void> {
      const recorded = recorder?.record(order);
      settle();
      await recorded;
    },
    joinDeps: joinDepsOf({ ...deps, problem }, { entries, lanes, room, settle, profile, soon: capture.soon }),
    async close() {
      await capture.close();
      await Promise.all([lanes.close(), sound.close(), room.close()]);
    },
  };
}

type JoinParts = {
  readonly entries: Succession;
  readonly lanes: ReturnType<typeof createLanes>;
  readonly room: RoomCamera;
  readonly settle: () => void;
  readonly profile: VideoProfile;
  readonly soon: () => void;
};

function joinDepsOf(deps: BroadcastDeps & { problem(sentence: string): void }, parts: JoinParts): JoinDeps {
  const { clock, transport, problem } = deps;
  const { entries, lanes, room, settle, profile, soon } = parts;
  return {
    ...{ clock, transport, problem },
    connected(entry: Entry) {
      entries.connected(entry);
      // Its key frame is wanted by now, and need not wait for the source's next turn.
      if (entry.role === "player") soon();
    },
    limits: { start: profile.bitrateStart, min: profile.bitrateMin, max: profile.bitrateMax },
    hasRoomCamera: deps.roomCamera !== undefined,
    lastFrame: ({ sender }: Entry) => lanes.lastFrame(sender.codec),
    wantKeyFrame: (viewer: Entry) => lanes.wantKeyFrame(viewer),
    roomChanged(viewer: Entry) {
      room.settle();
      room.wantKeyFrame(viewer);
    },
    left(entry: Entry) {
      const goesOn = entries.left(entry);
      settle();
      return goesOn;
    },
  };
}

/** One step of rate control; true when a key frame would end a hold. Who does not play and cannot follow is disconnected. */
function stepViewer({ role, sender, end }: Entry): boolean {
  const isDue = sender.step();
  const narrow = role !== "player" && sender.heldMs() > HELD_MS_MAX;
  if (narrow) void end("The viewer's link is too narrow for the video.");
  return isDue;
}

/** What records the machine. Undefined: nothing does. */
function recorderOf(
  { disk, clock, source }: BroadcastDeps,
  entries: Succession,
  wantKeyFrame: () => void,
): Recorder | undefined {
  const watched = () => watchedCodec([...entries.all()]);
  return disk && createRecorder({ ...disk, clock, format: source.format, watchedCodec: watched, wantKeyFrame });
}

/** The codec that is encoded anyway: the player's, else that of the first who watches. */
function watchedCodec(entries: readonly Entry[]): VideoCodec | null {
  const codecs = entries.filter(({ sender }) => sender.codec !== null);
  const ruling = codecs.find(({ role }) => role === "player") ?? codecs.find(({ role }) => role === "spectator");
  return (ruling ?? codecs[0])?.sender.codec ?? null;
}

/** Frames a second of the room. */
const ROOM_FRAME_RATE = 12;

interface RoomCameraDeps {
  /** Undefined: the machine has none, and every method does nothing. */
  readonly source: Source | undefined;
  readonly clock: Clock;
  /** The viewers of the machine. */
  entries(): Iterable<Entry>;
  problem(sentence: string): void;
}

/** The second track of a machine: a small video of the room with an encoder of its own, running only while it has viewers. */
interface RoomCamera {
  /** A viewer joined, left, or switched it on or off. */
  settle(): void;
  wantKeyFrame(entry: Entry): void;
  /** Several times a second: closes encoders without viewers. */
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
  /** Viewers whose link is too narrow are left out, and start again with a key frame. */
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
  const capture = createCapture(source, clock, { video: (frame) => lanes.frame(frame), audio: () => undefined }, say);
  const wantKeyFrame = ({ role, room }: Entry) => {
    if (room.on && room.place.free) lanes.wantKeyFrame({ role, sender: room.sender });
  };

  return {
    settle: () => capture.want(watching().length > 0),
    wantKeyFrame,
    step() {
      // A viewer who has left did not switch it off.
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

/** Encodes a machine's sound blocks to Opus packets; opens its encoder with the first block. */
function createSoundLane(deliver: (packet: MediaPacket) => void, problem: (sentence: string) => void) {
  const timestampOf = createSoundClock(SOUND_BLOCK_FRAMES);
  let opening: Promise<SoundEncoder> | null = null;
  let encoder: SoundEncoder | null = null;
  let closed = false;

  const encode = async (ready: SoundEncoder, block: SoundBlock) => {
    const timestamp = timestampOf(block.capturedAtMs);
    const payload = await ready.encode(block);
    if (payload && !closed) deliver({ payload, timestamp, marker: false });
  };
  const failed = (error: unknown) =>
    problem(`The sound encoder failed: ${error instanceof Error ? error.message : String(error)}`);

  return {
    block(block: SoundBlock): void {
      if (closed) return;
      if (encoder) encode(encoder, block).catch(failed);
      else if (!opening) {
        opening = createSoundEncoder();
        // Not tried again after a failure: a missing codec does not appear later, and the video continues without sound.
        opening.then((opened) => {
          encoder = opened;
        }, failed);
      }
    },
    async close(): Promise<void> {
      closed = true;
      const opened = await opening?.catch(() => null);
      await opened?.close();
    },
  };
}

/** A larger drift or gap is followed at once; below it the steps stay even, or the decoder would stretch the sound. */
const DRIFT_TICKS_MAX = 2 * 960;

/** RTP timestamps of sound blocks: even steps of one block, tied to the capture clock. */
export function createSoundClock(blockTicks: number): (capturedAtMs: number) => number {
  let expected: number | null = null;
  return (capturedAtMs) => {
    const captured = rtpTimestamp(capturedAtMs, SOUND_CLOCK_HZ);
    const drift = expected === null ? Number.POSITIVE_INFINITY : Math.abs((captured - expected) | 0);
    const timestamp = expected === null || drift > DRIFT_TICKS_MAX ? captured : expected;
    expected = (timestamp + blockTicks) % 2 ** 32;
    return timestamp;
  };
}
