import type { Candidate } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Wanted } from "./wanted-video.ts";

/** Counters of one connection, as the browser keeps them. They only grow, except those in ms. */
export type RtcStats = {
  /** Bytes of video received. */
  readonly videoBytes: number;
  /** Bytes of everything received over the connection. */
  readonly linkBytes: number;
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly framesDecoded: number;
  /** Decoded and not shown, because the next one was there already. */
  readonly framesDropped: number;
  /** Round trip of the network now, ms. */
  readonly roundTripMs: number | undefined;
  /** Mean wait in the jitter buffer of the latest frames, ms. */
  readonly jitterBufferMs: number;
  readonly decodeMs: number;
  /** By how much the packets' way varies, ms (RFC 3550). */
  readonly jitterMs: number;
  readonly path: MediaPath;
};

/** The path of the media now and what it carries; undefined where the browser does not report it. No addresses. */
export type MediaPath = {
  /** Between the browser and the peer or relay it sends to. */
  readonly protocol: "udp" | "tcp" | undefined;
  /** Kinds of the two addresses in use: `host`, `srflx`, `prflx` or `relay`. */
  readonly own: string | undefined;
  readonly theirs: string | undefined;
  /** Such as `H264`. */
  readonly codec: string | undefined;
  readonly width: number | undefined;
  readonly height: number | undefined;
};
export const NO_PATH: MediaPath = {
  protocol: undefined,
  own: undefined,
  theirs: undefined,
  codec: undefined,
  width: undefined,
  height: undefined,
};

export type RtcState = "connecting" | "connected" | "interrupted" | "failed";
export type ChannelName = "press" | "clock";

export type RtcEvents = {
  /** A candidate of ours; null ends the list. */
  candidate(candidate: Candidate): void;
  state(state: RtcState): void;
  /** The channel opened. */
  channelOpen(name: ChannelName): void;
  channelFrame(name: ChannelName, frame: string): void;
  /** `streams` has changed. On a busy computer that can come after a channel has opened. */
  streams(): void;
};

/** What the agent sends, once it has answered an offer. */
export type RtcStreams = {
  readonly video: MediaStream | undefined;
  readonly audio: MediaStream | undefined;
  /** The room camera, once it was switched on. */
  readonly room: MediaStream | undefined;
};

/**
 * One media connection to the agent: the browser's, behind an interface. It receives video and audio and has both data channels.
 */
export interface RtcConnection {
  /** Makes an offer and sets it as the local description. `restart`: with new ICE credentials, for a candidate pair that was lost. */
  offer(restart: boolean): Promise<string>;
  /** Sets which video is wanted from the next offer on; true when the agent does not know it yet, so that an offer is needed. */
  want(wanted: Wanted): boolean;
  /** Rejects when the answer does not fit. */
  accept(sdp: string): Promise<void>;
  addCandidate(candidate: Candidate): void;
  /** `relayOnly`: as in `OpenRtc`. Both apply from the next offer on. */
  setIceServers(servers: readonly IceServer[], relayOnly: boolean): void;
  /** False while the channel is not open. */
  send(name: ChannelName, frame: string): boolean;
  /** Another object after each change. */
  readonly streams: RtcStreams;
  stats(): Promise<RtcStats | undefined>;
  close(): void;
}

/** `relayOnly`: through TURN servers only. `plain`: without data channels, for a media server, which has none. */
export type OpenRtc = (
  iceServers: readonly IceServer[],
  events: RtcEvents,
  relayOnly: boolean,
  plain?: boolean,
) => RtcConnection;
