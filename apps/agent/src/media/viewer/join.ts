import type { Clock } from "../../ports/clock.ts";
import type { ConnectionEvents, IceCandidate, IceServer, Transport } from "../../ports/transport.ts";
import type { LaneViewer } from "../lanes.ts";
import type { RateLimits } from "../rate/rate-control.ts";
import { tellPress } from "../told-stages.ts";
import type { LastPicture } from "./clock-channel.ts";
import { answerClock } from "./clock-channel.ts";
import type { RoomSender } from "./room-sender.ts";
import { createRoomSender } from "./room-sender.ts";
import type { ViewerRole, ViewerStats } from "./viewer.ts";
import { createViewerSender } from "./viewer.ts";

/** What a viewer's connection tells the agent. */
export interface ViewerEvents {
  connected?(): void;
  /** Not heard for some seconds; may come back. */
  interrupted?(): void;
  /** Final, and never after `close()`. */
  closed?(reason: string): void;
  /** A candidate of our side, for the browser. */
  candidate?(candidate: IceCandidate): void;
}

export interface ViewerRequest extends ViewerEvents {
  /** A second request of the same id takes the place of the first. */
  readonly viewerId: string;
  readonly role: ViewerRole;
  /** The browser's offer as it came, hostile until read. */
  readonly sdp: string;
  readonly iceServers: readonly IceServer[];
  /** The rate this viewer would like, pictures a second; a player's lower wish lowers the rate for everybody. */
  readonly framesPerSecond?: number | undefined;
  /** One message of the `press` channel, at most 512 bytes and hostile; what it returns is sent back, null nothing. */
  onPress(message: Uint8Array): Uint8Array | null | Promise<Uint8Array | null>;
}

export interface BroadcastViewer {
  readonly viewerId: string;
  readonly role: ViewerRole;
  addCandidate(candidate: IceCandidate): void;
  /** A further offer of the same browser (ICE restart). Rejects with an `OfferProblem`; the viewer then stays. */
  renegotiate(sdp: string): Promise<string>;
  /** Says something on the `press` channel unasked; false when it is not open. */
  sendPress(message: Uint8Array): boolean;
  stats(): ViewerStats;
  close(): Promise<void>;
}

/** One viewer inside a broadcast. */
export interface Entry extends LaneViewer {
  /** Its second video track. */
  readonly room: RoomSender;
  readonly viewer: BroadcastViewer;
  /** Why the connection is gone already, or null. */
  goneBecause(): string | null;
  /** Ends it once; with a reason the request is told, unless another connection goes on in its name. */
  end(reason: string | null): Promise<void>;
  /** Tells what happens to it to the request of another entry from now on, which has failed. */
  standFor(other: Entry): void;
  readonly events: ViewerEvents;
}

export interface JoinDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly limits: RateLimits;
  /** The machine has a camera of the room. */
  readonly hasRoomCamera: boolean;
  lastPicture(viewer: Entry): LastPicture | null;
  wantKeyFrame(viewer: Entry): void;
  /** Its room camera was switched on or off, or needs a key frame. */
  roomChanged(viewer: Entry): void;
  /** The entry's connection stands. */
  stands(entry: Entry): void;
  /** The entry has ended, for whatever reason; true when another connection goes on in its name. */
  left(entry: Entry): boolean;
  problem(sentence: string): void;
}

/** Answers one viewer's offer. Rejects with an `OfferProblem`. */
export async function joinViewer(deps: JoinDeps, request: ViewerRequest): Promise<{ sdp: string; entry: Entry }> {
  const live: Live = { entry: null, gone: null, events: request };
  const offer = { ...request, roomCamera: deps.hasRoomCamera && request.role === "player" };
  const { sdp, connection } = await deps.transport.addViewer(offer, {
    ...eventsOf(deps, live),
    data(channel, message) {
      if (channel === "press") {
        tellPress(() => ({ atMs: deps.clock.now() }));
        void answerPress(request, message, deps.problem).then((reply) => reply && connection.sendData("press", reply));
        return;
      }
      const reply = answerClock(message, deps.clock, live.entry && deps.lastPicture(live.entry));
      if (reply) connection.sendData("clock", reply.answer);
      if (reply?.keyFrame && live.entry) deps.wantKeyFrame(live.entry);
    },
  });
  const sender = createViewerSender(deps.clock, connection, deps.limits, request.role === "player");
  let ended = false;
  const end = async (reason: string | null) => {
    if (ended) return;
    ended = true;
    const goesOn = deps.left(entry);
    await connection.close();
    if (reason !== null && !goesOn) live.events.closed?.(reason);
  };
  const viewer: BroadcastViewer = {
    viewerId: request.viewerId,
    role: request.role,
    addCandidate: (candidate) => connection.addCandidate(candidate),
    renegotiate: (text) => connection.renegotiate(text),
    sendPress: (message) => connection.sendData("press", message),
    stats: () => sender.stats(),
    close: () => end(null),
  };
  const { role, framesPerSecond } = request;
  const room = createRoomSender(deps.clock, connection);
  const goneBecause = () => live.gone;
  const standFor = (other: Entry) => {
    live.events = other.events;
    if (sender.connected) live.events.connected?.();
  };
  const entry: Entry = { role, framesPerSecond, sender, room, viewer, end, goneBecause, standFor, events: request };
  live.entry = entry;
  return { sdp, entry };
}

/** One connection from its offer on; `events`: who is told. */
type Live = { entry: Entry | null; gone: string | null; events: ViewerEvents };

function eventsOf(deps: JoinDeps, live: Live): Omit<ConnectionEvents, "data"> {
  return {
    connected(streams) {
      live.entry?.sender.connect(streams);
      if (live.entry) deps.wantKeyFrame(live.entry);
      live.entry?.room.agreed(streams);
      if (live.entry) deps.roomChanged(live.entry);
      if (live.entry) deps.stands(live.entry);
      live.events.connected?.();
    },
    renegotiated(streams) {
      if (!live.entry?.sender.connected) return;
      live.entry.room.agreed(streams);
      deps.roomChanged(live.entry);
      if (live.entry.sender.pause(streams.paused === true)) deps.wantKeyFrame(live.entry);
    },
    interrupted: () => live.events.interrupted?.(),
    candidate: (candidate) => live.events.candidate?.(candidate),
    channelOpen: () => undefined,
    closed(reason) {
      live.gone = reason;
      void live.entry?.end(reason);
    },
    rtcp(packet) {
      if (live.entry?.sender.rtcp(packet)) deps.wantKeyFrame(live.entry);
      if (live.entry?.room.sender.rtcp(packet)) deps.roomChanged(live.entry);
    },
  };
}

async function answerPress(
  request: ViewerRequest,
  message: Uint8Array,
  problem: (sentence: string) => void,
): Promise<Uint8Array | null> {
  try {
    return await request.onPress(message);
  } catch (error) {
    problem(`A press could not be answered: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
