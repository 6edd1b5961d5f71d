import type { Candidate } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Answer } from "@longarm/link/answer";
import type { Stop, Timers } from "@longarm/link/socket";
import type { ChannelName, OpenRtc, RtcConnection, RtcState, RtcStats, RtcStreams } from "./rtc-port.ts";
import { createWatch } from "./watch.ts";

export type MediaEvents = {
  /** What to play now. */
  streams(streams: RtcStreams): void;
  channelOpen(name: ChannelName): void;
  channelFrame(name: ChannelName, frame: string): void;
  /** The counters of the connection in use, twice a second. */
  stats(stats: RtcStats): void;
  /** Pictures come, or have been missing for a while. */
  live(live: boolean): void;
};

export type MediaLinkDeps = {
  readonly openRtc: OpenRtc;
  readonly iceServers: readonly IceServer[];
  readonly timers: Timers;
  readonly now: () => number;
  readonly log: (sentence: string, error?: unknown) => void;
  /** Whether the game socket has a seat: nothing can be asked without. */
  readonly online: () => boolean;
  /** Asks the agent, through the game socket. */
  readonly sendOffer: (sdp: string) => Promise<Answer<{ sdp: string }>>;
  readonly sendCandidate: (candidate: Candidate) => void;
  readonly events: MediaEvents;
};

type Line = {
  readonly rtc: RtcConnection;
  /** Candidates wait until the other side knows the offer. */
  early: Candidate[] | undefined;
  /** Those of the other side wait until we know its answer. */
  theirs: Candidate[] | undefined;
  state: RtcState;
  /** The seat was taken again since: its channels speak for an older epoch. */
  stale: boolean;
};

const READ_STATS_MS = 500;

/**
 * The picture's way from the agent. A new connection takes over only once it stands, so that the old one plays on meanwhile; when
 * pictures stay away the watch asks for another way (ICE restart) and then for another connection.
 */
export class MediaLink {
  readonly #deps: MediaLinkDeps;
  readonly #watch;
  #servers: readonly IceServer[];
  #current: Line | undefined;
  #next: Line | undefined;
  #stopStats: Stop = () => {};
  #ended = false;

  constructor(deps: MediaLinkDeps) {
    this.#deps = deps;
    this.#servers = deps.iceServers;
    this.#watch = createWatch({
      now: deps.now,
      live: deps.events.live,
      restart: () => void this.#renew(true),
      renew: () => void this.#renew(false),
    });
  }

  /** A new connection and its offer, for `init`. */
  async freshOffer(): Promise<string> {
    this.#next?.rtc.close();
    const line = this.#open();
    this.#next = line;
    return await line.rtc.offer(false);
  }

  /** What `init` answered to the offer it carried. Without an answer, or with one that does not fit, another offer is made. */
  async answered(sdp: string | undefined, servers: readonly IceServer[]): Promise<void> {
    if (servers.length > 0) {
      this.#servers = servers;
      this.#next?.rtc.setIceServers(servers);
    }
    if (this.#current !== undefined) this.#current.stale = true;
    try {
      if (sdp === undefined) await this.#renew(false);
      else if (this.#next !== undefined) await this.#accept(this.#next, sdp);
    } catch (error) {
      this.#deps.log("The agent's answer could not be taken.", error);
    }
    if (this.#ended) return;
    this.#watch.begin();
    this.#readStats();
  }

  async #accept(line: Line, sdp: string): Promise<void> {
    await this.#answered(line, sdp);
    if (line !== this.#next) return;
    if (this.#current?.state !== "connected" || line.state === "connected") this.#takeOver(line);
  }

  /** Another connection at once, for an agent that does not know this one. */
  renew(): void {
    void this.#renew(false);
  }

  /** A candidate of the agent's. */
  candidate(candidate: Candidate): void {
    for (const line of [this.#next, this.#current]) {
      if (line?.theirs !== undefined) line.theirs.push(candidate);
      else line?.rtc.addCandidate(candidate);
    }
  }

  /** False while no channel is open. */
  send(name: ChannelName, frame: string): boolean {
    return this.#current?.stale === false && this.#current.rtc.send(name, frame);
  }

  end(): void {
    this.#ended = true;
    this.#stopStats();
    this.#next?.rtc.close();
    this.#current?.rtc.close();
  }

  #open(): Line {
    const { events, openRtc } = this.#deps;
    const rtc = openRtc(this.#servers, {
      candidate: (candidate) => {
        if (line.early !== undefined) line.early.push(candidate);
        else this.#deps.sendCandidate(candidate);
      },
      state: (state) => this.#state(line, state),
      channelOpen: (name) => {
        if (line === this.#next) this.#takeOver(line);
        events.channelOpen(name);
      },
      channelFrame: (name, frame) => {
        if (line === this.#current) events.channelFrame(name, frame);
      },
    });
    const line: Line = { rtc, early: [], theirs: [], state: "connecting", stale: false };
    return line;
  }

  #state(line: Line, state: RtcState): void {
    line.state = state;
    if (state === "connected" && line === this.#next) this.#takeOver(line);
    if (state === "failed" && line === this.#current) this.#watch.failed();
  }

  async #answered(line: Line, sdp: string): Promise<void> {
    await line.rtc.accept(sdp);
    const { early, theirs } = line;
    line.early = undefined;
    line.theirs = undefined;
    for (const candidate of early ?? []) this.#deps.sendCandidate(candidate);
    for (const candidate of theirs ?? []) line.rtc.addCandidate(candidate);
  }

  #takeOver(line: Line): void {
    const old = this.#current;
    this.#current = line;
    this.#next = undefined;
    this.#deps.events.streams(line.rtc.streams);
    if (old !== line) old?.rtc.close();
  }

  async #renew(restart: boolean): Promise<void> {
    if (!this.#deps.online()) return;
    try {
      const old = restart ? this.#current : undefined;
      const offer = old === undefined ? await this.freshOffer() : await old.rtc.offer(true);
      const line = old ?? this.#next;
      const answer = await this.#deps.sendOffer(offer);
      if (answer.is !== "done" || this.#ended || line === undefined) return;
      if (line === this.#current) await this.#answered(line, answer.data.sdp);
      else if (line === this.#next) await this.#accept(line, answer.data.sdp);
    } catch (error) {
      this.#deps.log("The picture's connection could not be renewed.", error);
    }
  }

  #readStats(): void {
    this.#stopStats();
    this.#stopStats = this.#deps.timers.after(READ_STATS_MS, () => {
      void this.#current?.rtc.stats().then((stats) => {
        if (stats === undefined || this.#ended) return;
        this.#deps.events.stats(stats);
        this.#watch.bytes(stats.videoBytes);
      });
      this.#readStats();
    });
  }
}
