import type { ClockAnswer } from "@longarm/contract/data-channel";
import { ClockAsk } from "@longarm/contract/data-channel";
import type { Clock } from "../../ports/clock.ts";
import type {
  AnsweredOffer,
  ConnectionEvents,
  IceCandidate,
  IceServer,
  OfferRequest,
  Transport,
} from "../../ports/transport.ts";
import type { LaneViewer, LastFrame } from "../lanes.ts";
import { publishPressArrival } from "../stages.ts";
import type { RateLimits } from "./rate-control.ts";
import type { RoomSender } from "./room-sender.ts";
import { createRoomSender } from "./room-sender.ts";
import type { ViewerRole, ViewerSender, ViewerStats } from "./sender.ts";
import { createViewerSender } from "./sender.ts";

/** Events of a viewer's connection. */
export interface ViewerEvents {
  connected?(): void;
  /** Silent for some seconds; may come back. */
  interrupted?(): void;
  /** Final, and never after `close()`. */
  closed?(reason: string): void;
  /** A candidate of our side, for the browser. */
  candidate?(candidate: IceCandidate): void;
}

export interface ViewerRequest extends ViewerEvents {
  /** A second request with the same id replaces the first. */
  readonly viewerId: string;
  readonly role: Exclude<ViewerRole, "crowd">;
  /** The browser's offer as it arrived, hostile until read. */
  readonly sdp: string;
  readonly iceServers: readonly IceServer[];
  /** The frame rate that this viewer wants; a lower one of the player lowers it for every viewer. */
  readonly framesPerSecond?: number | undefined;
  /** The answer, and that of a restart, waits for all candidates of our side. */
  readonly complete?: boolean | undefined;
  /** Null for a viewer who does not play: its presses are not answered. */
  readonly presses: PressReceiver | null;
}

/** A viewer of any kind. */
export type Joining = Omit<ViewerRequest, "role"> & { readonly role: ViewerRole };

/** Takes the messages of one viewer's `press` channel. */
export interface PressReceiver {
  /** One message, at most 512 bytes and hostile. Resolves to the answer that is sent back, or to null for none. */
  receive(message: Uint8Array): Promise<Uint8Array | null>;
}

export interface BroadcastViewer {
  readonly viewerId: string;
  readonly role: ViewerRole;
  addCandidate(candidate: IceCandidate): void;
  /** A further offer of the same browser (ICE restart). Rejects with an `OfferProblem`; the viewer then stays. */
  renegotiate(sdp: string): Promise<string>;
  /** Sends a message on the `press` channel; false when it is not open. */
  sendPress(message: Uint8Array): boolean;
  stats(): ViewerStats;
  close(): Promise<void>;
}

/** One viewer inside a broadcast. */
export interface Entry extends LaneViewer {
  readonly sender: ViewerSender;
  /** Its second video track. */
  readonly room: RoomSender;
  readonly viewer: BroadcastViewer;
  /** Why the connection is gone already, or null. */
  goneBecause(): string | null;
  /** Ends it once; with a reason the request's `closed` is called, unless another connection continues in its place. */
  end(reason: string | null): Promise<void>;
  /** Continues in the place of another entry, which has failed: events go to that entry's request from now on. */
  replace(other: Entry): void;
  readonly events: ViewerEvents;
}

export interface JoinDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly limits: RateLimits;
  /** The machine has a camera of the room. */
  readonly hasRoomCamera: boolean;
  lastFrame(viewer: Entry): LastFrame | null;
  wantKeyFrame(viewer: Entry): void;
  /** Its room camera was switched on or off, or needs a key frame. */
  roomChanged(viewer: Entry): void;
  /** The entry's connection is made. */
  connected(entry: Entry): void;
  /** The entry has ended, for whatever reason; true when another connection continues in its place. */
  left(entry: Entry): boolean;
  problem(sentence: string): void;
}

/** Makes one viewer's connection, by default by answering its offer. Rejects with an `OfferProblem`. */
export async function joinViewer(
  deps: JoinDeps,
  request: Joining,
  connect: (offer: OfferRequest, events: ConnectionEvents) => Promise<AnsweredOffer> = deps.transport.addViewer,
): Promise<{ sdp: string; entry: Entry }> {
  const live: Live = { entry: null, gone: null, events: request };
  const offer = { ...request, roomCamera: deps.hasRoomCamera && request.role === "player" };
  const { sdp, connection, videoCodec } = await connect(offer, {
    ...eventsOf(deps, live),
    data(channel, message) {
      if (channel === "press") {
        publishPressArrival(() => ({ atMs: deps.clock.now() }));
        if (request.presses !== null)
          void answerPress(request.presses, message, deps.problem).then(
            (reply) => reply && connection.sendData("press", reply),
          );
        return;
      }
      const reply = answerClock(message, deps.clock, live.entry && deps.lastFrame(live.entry));
      if (reply) connection.sendData("clock", reply.answer);
      if (reply?.keyFrame && live.entry) deps.wantKeyFrame(live.entry);
      if (reply) live.entry?.sender.smooth(reply.smooth);
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
  const replace = (other: Entry) => {
    live.events = other.events;
    if (sender.connected) live.events.connected?.();
  };
  const entry: Entry = {
    ...{ role, framesPerSecond, sender, room, viewer, end, goneBecause, replace, events: request },
    get coming() {
      return sender.connected ? null : videoCodec;
    },
  };
  live.entry = entry;
  return { sdp, entry };
}

/** One connection from its offer on; `events`: the receiver of its events. */
type Live = { entry: Entry | null; gone: string | null; events: ViewerEvents };

function eventsOf(deps: JoinDeps, live: Live): Omit<ConnectionEvents, "data"> {
  return {
    connected(streams) {
      live.entry?.sender.connect(streams);
      if (live.entry) deps.wantKeyFrame(live.entry);
      live.entry?.room.agreed(streams);
      if (live.entry) deps.roomChanged(live.entry);
      if (live.entry) deps.connected(live.entry);
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
  presses: PressReceiver,
  message: Uint8Array,
  problem: (sentence: string) => void,
): Promise<Uint8Array | null> {
  try {
    return await presses.receive(message);
  } catch (error) {
    problem(`A press could not be answered: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

interface ClockReply {
  readonly answer: Uint8Array;
  /** The page has lost frames and requests a key frame. */
  readonly keyFrame: boolean;
  /** The page wants its frames evenly rather than at once. */
  readonly smooth: boolean;
}

/**
 * The reply to one message of the `clock` channel, or null when it cannot be read: then there is no answer, and
 * the page repeats its question a second later.
 */
export function answerClock(message: Uint8Array, clock: Clock, last: LastFrame | null): ClockReply | null {
  const t1 = clock.now();
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(message).toString("utf8"));
  } catch {
    return null;
  }
  const question = ClockAsk.safeParse(value);
  if (!question.success) return null;
  const answer: ClockAnswer = {
    t0: question.data.t0,
    t1,
    t2: clock.now(),
    rtp: last?.timestamp ?? null,
    capturedAt: last?.capturedAtMs ?? null,
  };
  return {
    answer: Buffer.from(JSON.stringify(answer)),
    keyFrame: question.data.keyFrame === true,
    smooth: question.data.smooth === true,
  };
}
