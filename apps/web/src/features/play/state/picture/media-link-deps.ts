import type { Candidate } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Answer } from "@longarm/link/answer";
import type { Timers } from "@longarm/link/socket";
import type { Step } from "../recovery/ladder.ts";
import type { ChannelName, OpenRtc, RtcStats, RtcStreams } from "./rtc-port.ts";

export type MediaEvents = {
  /** What to play now. */
  streams(streams: RtcStreams): void;
  channelOpen(name: ChannelName): void;
  channelFrame(name: ChannelName, frame: string): void;
  /** The counters of the connection in use, twice a second. */
  stats(stats: RtcStats): void;
  /** Pictures come, or are missing. */
  live(live: boolean): void;
  /** What is being done about missing pictures; undefined: nothing. */
  recovery(step: Step | undefined): void;
  /** Asks the agent for a picture that needs none before it. */
  keyFrame(): void;
  /** Ten times a second: for how long no picture came, ms. */
  looked(missingMs: number): void;
};

export type MediaLinkDeps = {
  readonly openRtc: OpenRtc;
  readonly iceServers: readonly IceServer[];
  readonly timers: Timers;
  readonly now: () => number;
  /** The page is not on the screen: nothing is drawn. */
  readonly hidden: () => boolean;
  readonly log: (sentence: string, error?: unknown) => void;
  /** Whether the game socket has a seat: nothing can be asked without. */
  readonly online: () => boolean;
  /** Asks the agent, through the game socket. */
  readonly sendOffer: (sdp: string) => Promise<Answer<{ sdp: string; iceServers: readonly IceServer[] }>>;
  readonly sendCandidate: (candidate: Candidate) => void;
  readonly events: MediaEvents;
};
