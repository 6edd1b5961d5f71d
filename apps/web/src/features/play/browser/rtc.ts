import { CHANNEL_OPTIONS, CLOCK_CHANNEL, PRESS_CHANNEL } from "@longarm/contract/data-channel";
import { configurationOf, preferred } from "@longarm/link/receive-media";
import type {
  ChannelName,
  MediaPath,
  OpenRtc,
  RtcConnection,
  RtcEvents,
  RtcState,
  RtcStats,
  RtcStreams,
} from "../state/media/rtc-port.ts";
import type { Wanted } from "../state/media/wanted-video.ts";

const CHANNELS = { press: PRESS_CHANNEL, clock: CLOCK_CHANNEL } as const satisfies Record<ChannelName, string>;

/**
 * Opens one of the browser's connections: video and audio to receive, and both data channels unless it is `plain`. `withRoom`: with a second video, for the
 * room camera.
 */
export function openBrowserRtc(
  withRoom: boolean,
  ...[iceServers, events, relayOnly, plain]: Parameters<OpenRtc>
): RtcConnection {
  const pc = new RTCPeerConnection({ ...configurationOf(iceServers, relayOnly), bundlePolicy: "max-bundle" });
  const received = receiveMedia(pc, withRoom, events);
  const channels: Partial<Record<ChannelName, RTCDataChannel>> =
    plain === true ? {} : { press: openChannel(pc, "press", events), clock: openChannel(pc, "clock", events) };
  let before: RtcStats | undefined;
  pc.onicecandidate = ({ candidate }) =>
    events.candidate({ candidate: candidate?.candidate ?? null, sdpMid: candidate?.sdpMid ?? null });
  pc.onconnectionstatechange = () => {
    const state = STATES[pc.connectionState];
    if (state !== undefined) events.state(state);
  };
  return {
    get streams() {
      return received.streams();
    },
    want: received.want,
    async offer(restart) {
      if (restart) pc.restartIce();
      // The browser makes the offer itself: one wait less for a page that is drawing.
      await pc.setLocalDescription();
      received.offered();
      return pc.localDescription?.sdp ?? "";
    },
    async accept(sdp) {
      await pc.setRemoteDescription({ type: "answer", sdp });
      received.answered();
    },
    addCandidate({ candidate, sdpMid }) {
      // A candidate that does not fit is ignored: others may work.
      if (candidate !== null) pc.addIceCandidate({ candidate, sdpMid: sdpMid ?? "0" }).catch(() => {});
    },
    setIceServers: (servers, relay) =>
      pc.setConfiguration({ ...pc.getConfiguration(), ...configurationOf(servers, relay) }),
    send(name, frame) {
      const channel = channels[name];
      if (channel?.readyState !== "open") return false;
      channel.send(frame);
      return true;
    },
    async stats() {
      if (pc.connectionState === "closed") return undefined;
      before = readStats(await pc.getStats(), before);
      return before;
    },
    close: () => pc.close(),
  };
}

const STATES: Partial<Record<RTCPeerConnectionState, RtcState>> = {
  connecting: "connecting",
  connected: "connected",
  disconnected: "interrupted",
  failed: "failed",
};

function openChannel(pc: RTCPeerConnection, name: ChannelName, events: RtcEvents): RTCDataChannel {
  const channel = pc.createDataChannel(CHANNELS[name], CHANNEL_OPTIONS);
  channel.binaryType = "arraybuffer";
  channel.onopen = () => events.channelOpen(name);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data === "string") events.channelFrame(name, data);
    else if (data instanceof ArrayBuffer) events.channelFrame(name, new TextDecoder().decode(data));
  };
  return channel;
}

/** The receiving side of one connection: what comes, and what is wanted of it. */
type ReceivedMedia = {
  streams(): RtcStreams;
  want(wanted: Wanted): boolean;
  /** An offer was made: what it wants is known once it is answered. */
  offered(): void;
  answered(): void;
};

/**
 * Makes a connection ready to receive the machine's video and sound, in this order, and the room camera's video (`withRoom`), which
 * rests until it is wanted. Nothing in the page stops a browser's decoder but a section that is switched off (record 0020).
 */
function receiveMedia(pc: RTCPeerConnection, withRoom: boolean, events: RtcEvents): ReceivedMedia {
  const machine = prepare(pc, "video", "recvonly");
  prepare(pc, "audio", "recvonly");
  const room = withRoom ? prepare(pc, "video", "inactive") : undefined;
  let streams: RtcStreams = { video: undefined, audio: undefined, room: undefined };
  const directions = (): string => `${machine.direction} ${room?.direction}`;
  let offered = "";
  let known = "";
  // Each stays in a stream of its own: together, the sound's buffer would delay the video.
  pc.ontrack = ({ track, transceiver }) => {
    const name = transceiver === room ? "room" : track.kind;
    if (name !== "video" && name !== "audio" && name !== "room") return;
    // A track that is switched on again is the same one: its element plays on.
    if (streams[name]?.getTracks()[0] === track) return;
    streams = { ...streams, [name]: new MediaStream([track]) };
    events.streams();
  };
  return {
    streams: () => streams,
    want({ machine: shown, room: seen }) {
      machine.direction = shown ? "recvonly" : "inactive";
      if (room !== undefined) room.direction = seen ? "recvonly" : "inactive";
      return directions() !== known;
    },
    offered() {
      offered = directions();
    },
    answered() {
      known = offered;
    },
  };
}

function prepare(
  pc: RTCPeerConnection,
  kind: "video" | "audio",
  direction: "recvonly" | "inactive",
): RTCRtpTransceiver {
  const transceiver = pc.addTransceiver(kind, { direction });
  const codecs = RTCRtpReceiver.getCapabilities(kind)?.codecs ?? [];
  const wanted = preferred(kind, codecs);
  if (wanted.length > 0) transceiver.setCodecPreferences(wanted);
  return transceiver;
}

type Totals = { jitterBufferDelay: number; jitterBufferEmittedCount: number; totalDecodeTime: number };
type Kept = RtcStats & { readonly totals?: Totals };

/** Reads the counters that matter out of the browser's report. Means are of the time since `before`. */
export function readStats(report: Iterable<[string, unknown]>, before: Kept | undefined): Kept {
  const all = [...report].map(([, entry]) => entry as Record<string, unknown>);
  const videos = all.filter((entry) => entry["type"] === "inbound-rtp" && entry["kind"] === "video");
  // The machine's own is the offer's first section; the room camera's comes beside it.
  const video = videos.find((entry) => entry["mid"] === "0") ?? videos[0] ?? {};
  const pair = selectedPair(all);
  const framesDecoded = numberOf(video["framesDecoded"]);
  const totals: Totals = {
    jitterBufferDelay: numberOf(video["jitterBufferDelay"]),
    jitterBufferEmittedCount: numberOf(video["jitterBufferEmittedCount"]),
    totalDecodeTime: numberOf(video["totalDecodeTime"]),
  };
  const old = before?.totals;
  const emitted = totals.jitterBufferEmittedCount - (old?.jitterBufferEmittedCount ?? 0);
  const decoded = framesDecoded - (before?.framesDecoded ?? 0);
  const roundTrip = pair["currentRoundTripTime"];
  return {
    videoBytes: numberOf(video["bytesReceived"]),
    linkBytes: numberOf(pair["bytesReceived"]),
    packetsReceived: numberOf(video["packetsReceived"]),
    packetsLost: numberOf(video["packetsLost"]),
    framesDecoded,
    framesDropped: numberOf(video["framesDropped"]),
    roundTripMs: typeof roundTrip === "number" ? roundTrip * 1_000 : undefined,
    jitterBufferMs: meanMs(totals.jitterBufferDelay - (old?.jitterBufferDelay ?? 0), emitted),
    decodeMs: meanMs(totals.totalDecodeTime - (old?.totalDecodeTime ?? 0), decoded),
    jitterMs: numberOf(video["jitter"]) * 1_000,
    path: pathOf(all, pair, video),
    totals,
  };
}

type Entry = Record<string, unknown>;

/** After a restart several pairs were nominated one after the other: the transport names the one in use, where the browser reports it. */
function selectedPair(all: readonly Entry[]): Entry {
  const id = all.find((entry) => entry["type"] === "transport")?.["selectedCandidatePairId"];
  const pairs = all.filter((entry) => entry["type"] === "candidate-pair");
  return pairs.find((entry) => id !== undefined && entry["id"] === id) ?? pairs.find(isNominated) ?? {};
}

const isNominated = (pair: Entry): boolean => pair["nominated"] === true;

function pathOf(all: readonly Entry[], pair: Entry, video: Entry): MediaPath {
  const byId = (id: unknown): Entry => all.find((entry) => id !== undefined && entry["id"] === id) ?? {};
  const own = byId(pair["localCandidateId"]);
  // A relayed address is always UDP; the protocol to the relay is a field of its own.
  const protocol = own["relayProtocol"] ?? own["protocol"];
  const overTcp = protocol === "tcp" || protocol === "tls" ? "tcp" : undefined;
  return {
    protocol: protocol === "udp" ? "udp" : overTcp,
    own: textOf(own["candidateType"]),
    theirs: textOf(byId(pair["remoteCandidateId"])["candidateType"]),
    codec: textOf(byId(video["codecId"])["mimeType"])?.replace(/^video\//, ""),
    width: sizeOf(video["frameWidth"]),
    height: sizeOf(video["frameHeight"]),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const sizeOf = (value: unknown): number | undefined => (typeof value === "number" && value > 0 ? value : undefined);

function meanMs(seconds: number, count: number): number {
  return count > 0 && seconds > 0 ? (seconds * 1_000) / count : 0;
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
