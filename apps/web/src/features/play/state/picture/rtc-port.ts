import type { Candidate } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";

/** Counters of one connection, as the browser keeps them. They only grow, but the three in ms. */
export type RtcStats = {
  /** Bytes of video received. */
  readonly videoBytes: number;
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly framesDecoded: number;
  /** Round trip of the network now, ms. */
  readonly roundTripMs: number | undefined;
  /** Mean wait in the jitter buffer of the latest frames, ms. */
  readonly jitterBufferMs: number;
  readonly decodeMs: number;
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
};

/** What the agent sends, once it was answered. */
export type RtcStreams = { readonly video: MediaStream | undefined; readonly audio: MediaStream | undefined };

/**
 * One media connection to the agent: the browser's, behind an interface. Made ready to receive video and audio, with both data channels.
 */
export interface RtcConnection {
  /** Makes an offer and takes it as ours. `restart`: with new ICE credentials, for a way that was lost. */
  offer(restart: boolean): Promise<string>;
  /** Rejects when the answer does not fit. */
  accept(sdp: string): Promise<void>;
  addCandidate(candidate: Candidate): void;
  setIceServers(servers: readonly IceServer[]): void;
  /** False while the channel is not open. */
  send(name: ChannelName, frame: string): boolean;
  readonly streams: RtcStreams;
  stats(): Promise<RtcStats | undefined>;
  close(): void;
}

export type OpenRtc = (iceServers: readonly IceServer[], events: RtcEvents) => RtcConnection;
