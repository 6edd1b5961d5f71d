import type { Candidate } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Answer } from "@longarm/link/answer";
import type { Stop, Timers } from "@longarm/link/socket";
import type { GameLink } from "../game-link.ts";
import { AgentClock, ClockPoll } from "./agent-clock.ts";
import type { CandidateCounts, Transport } from "./connection.ts";
import { Connection, IceServers, relaysOverTcp } from "./connection.ts";
import type { Crowd } from "./crowd.ts";
import { lossBetween } from "./readout.ts";
import type { RecoveryStep, VideoSign } from "./recovery.ts";
import { LOOK_MS, POOR_LOSS, Recovery, UdpReturn } from "./recovery.ts";
import type { OpenRtc, RtcConnection, RtcState, RtcStats, RtcStreams } from "./rtc-port.ts";
import type { Wanted } from "./wanted-video.ts";
import { WantedVideo } from "./wanted-video.ts";

export type MediaEvents = {
  /** What to play now. */
  streams(streams: RtcStreams): void;
  /** A frame of the `press` channel. */
  pressFrame(frame: string): void;
  /** The counters of the connection in use, twice a second. */
  stats(stats: RtcStats): void;
  /** Video arrives, or is missing. */
  live(live: boolean): void;
  /** What is being done about missing video; undefined: nothing. */
  recovery(step: RecoveryStep | undefined): void;
  /** Ten times a second: for how long no frame was shown, ms. */
  looked(missingMs: number): void;
};

export type MediaLinkDeps = {
  readonly openRtc: OpenRtc;
  /** Servers of the settings. */
  readonly iceServers: readonly IceServer[];
  readonly framesPerSecond: number;
  readonly timers: Timers;
  readonly now: () => number;
  /** The page is not on the screen: nothing is drawn. */
  readonly hidden: () => boolean;
  readonly log: (sentence: string, error?: unknown) => void;
};

type OfferAnswer = Answer<{ sdp: string; iceServers: IceServer[] }>;

/** How the trial of one transport ended; `refused`: the platform or the agent did not answer the offer. */
export type TrialResult = CandidateCounts & { readonly is: "connected" | "failed" | "refused" };

/** Counters are read at every second look, and reported at every fifth. */
const LOOKS_A_READING = 2;
const LOOKS_A_REPORT = 5;

/** Addresses that were found longer ago may not hold any more, ms. */
const PREPARED_MS_MAX = 10_000;

/**
 * Video, sound and data channels from the agent. A new connection takes over only once it is connected, so that the old one plays on
 * meanwhile; the recovery decides what is done when video is missing.
 */
export class MediaLink {
  /** The agent's clock, as the `clock` channel reports it. */
  readonly clock = new AgentClock();
  readonly #deps: MediaLinkDeps;
  readonly #game: Pick<GameLink, "online" | "request" | "candidate">;
  readonly #events: MediaEvents;
  readonly #clockPoll: ClockPoll;
  readonly #recovery: Recovery;
  readonly #udpReturn: UdpReturn;
  readonly #servers: IceServers;
  readonly #trial: Trial;
  readonly #wanted: WantedVideo;
  #prepared: { readonly offer: Promise<string>; readonly at: number } | undefined;
  #current: Connection | undefined;
  #next: Connection | undefined;
  #relayNext = false;
  #stopLooks: Stop = () => {};
  #looks = 0;
  /** Offers that wait for their answers. */
  #asking = 0;
  #sign: VideoSign | undefined;
  #reported: RtcStats | undefined;
  /** Where a spectator watches for whom the agent has no place; undefined: at the agent. */
  #crowd: Crowd | undefined;
  #ended = false;

  constructor(deps: MediaLinkDeps, game: Pick<GameLink, "online" | "request" | "candidate">, events: MediaEvents) {
    const { timers, now } = deps;
    this.#deps = deps;
    this.#game = game;
    this.#events = events;
    this.#clockPoll = new ClockPoll(this.clock, timers, now, this);
    this.#servers = new IceServers(deps.iceServers, timers, now, (late) => void this.#offer(late, true));
    this.#trial = new Trial(timers);
    this.#wanted = new WantedVideo(timers, () => this.#offerWanted());
    this.#udpReturn = new UdpReturn(now);
    this.#recovery = new Recovery(now, {
      live: events.live,
      step: events.recovery,
      run: (step) => this.#recover(step),
      isConnected: () => this.#current?.state === "connected",
      isAsking: () => this.#asking > 0,
      isAnswered: () => this.#game.online && this.#asking === 0,
    });
  }

  /** Makes the first connection and its offer while the game socket still opens. */
  prepare(): void {
    const offer = this.#newOffer();
    // It is reported where the offer is used.
    offer.catch(() => {});
    this.#prepared = { offer, at: this.#deps.now() };
  }

  /** A new connection and its offer, for `init`; the first time the one that was prepared. */
  firstOffer(): Promise<string> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    const fresh = prepared !== undefined && this.#deps.now() - prepared.at < PREPARED_MS_MAX;
    return fresh ? prepared.offer : this.#newOffer();
  }

  /** What `init` answered to the offer it carried, with the servers. Without an answer, or with one that does not fit, another offer is made. */
  async answered(sdp: string | undefined, servers: readonly IceServer[]): Promise<void> {
    this.#servers.learn(servers, this.#next);
    if (this.#current !== undefined) this.#current.stale = true;
    try {
      if (sdp === undefined) await this.#renew("any");
      else if (this.#next !== undefined) await this.#accept(this.#next, sdp);
    } catch (error) {
      this.#deps.log("The browser did not accept the agent's answer.", error);
    }
    if (this.#ended) return;
    this.#recovery.begin();
    this.#lookLater();
  }

  /** Watches at this media server from now on, instead of the agent; undefined: at the agent. */
  watchAt(crowd: Crowd | undefined): void {
    this.#crowd?.end();
    this.#crowd = crowd;
    // The agent has no place for this page: it sends nothing.
    if (crowd !== undefined) this.#dropNext();
  }

  /** Opens another connection at once, for an agent that does not know this one. */
  renew(): void {
    void this.#renew("any");
  }

  /** The network changed or the page became visible: acts at once on what is missing. */
  hurry(newNetwork: boolean): void {
    if (newNetwork) this.#udpReturn.trySoon();
    this.#recovery.hurry();
    this.#clockPoll.requestKeyFrame();
  }

  /** Which video the agent is to send from now on; the rest is not decoded either. */
  want(part: Partial<Wanted>): void {
    this.#wanted.change(part);
  }

  /** Whether the agent is to let the browser show frames evenly rather than at once. */
  wantSmooth(smooth: boolean): void {
    this.#clockPoll.wantSmooth(smooth);
  }

  frameShown(): void {
    this.#recovery.frameShown();
    this.#wanted.frameShown();
  }

  /** A candidate of the agent. */
  addCandidate(candidate: Candidate): void {
    this.#next?.addCandidate(candidate);
    this.#current?.addCandidate(candidate);
  }

  /** The connection whose data channels the agent answers now; undefined while there is none. */
  get channels(): Pick<RtcConnection, "send"> | undefined {
    return this.#answering?.rtc;
  }

  /** The STUN and TURN servers. Old ones are minted anew first, which takes an offer. */
  async iceServers(): Promise<readonly IceServer[]> {
    if (this.#servers.mayHaveExpired && this.#answering !== undefined) await this.#offer(this.#answering, false);
    return this.#servers.known;
  }

  /** For the self-test, while video is missing: whether this transport connects. Its connection replaces the one that brings no video. */
  async tryTransport(transport: Transport): Promise<TrialResult> {
    const trial = this.#trial.begin();
    const connection = await this.#renew(transport);
    const connected = connection !== undefined && (connection.state === "connected" || (await trial.connected));
    trial.over(connected);
    if (connection === undefined) return { is: "refused", own: 0, theirs: 0 };
    if (!connected && connection === this.#next) this.#dropNext();
    return { is: connected ? "connected" : "failed", ...connection.candidateCounts };
  }

  end(): void {
    this.#ended = true;
    this.#crowd?.end();
    this.#clockPoll.end();
    this.#stopLooks();
    this.#servers.end();
    this.#wanted.end();
    this.#trial.end(false);
    this.#dropNext();
    this.#current?.rtc.close();
  }

  /** The connection in use, unless the seat was taken again since: that one plays on, but the agent answers none of its offers any more. */
  get #answering(): Connection | undefined {
    return this.#current?.stale === false ? this.#current : undefined;
  }

  async #newOffer(): Promise<string> {
    return await this.#open("any").offer(false);
  }

  #dropNext(): void {
    this.#prepared = undefined;
    this.#next?.rtc.close();
    this.#next = undefined;
  }

  #open(transport: Transport): Connection {
    this.#dropNext();
    this.#next = new Connection(
      this.#deps.openRtc,
      this.#servers.known,
      transport,
      {
        candidate: (candidate) => {
          if (this.#crowd === undefined) this.#game.candidate(candidate);
        },
        state: (connection, state) => this.#stateChanged(connection, state),
        channelOpen: (connection, name) => {
          if (connection === this.#next) this.#takeOver(connection);
          if (name === "clock") this.#clockPoll.start();
        },
        channelFrame: (connection, name, frame) => {
          if (connection !== this.#current) return;
          if (name === "clock") this.#clockPoll.receive(frame);
          else this.#events.pressFrame(frame);
        },
        streams: (connection) => {
          if (connection === this.#current) this.#events.streams(connection.rtc.streams);
        },
      },
      this.#crowd !== undefined,
    );
    this.#servers.usedBy(this.#next);
    // A media server takes no wishes.
    if (this.#crowd === undefined) this.#next.rtc.want(this.#wanted.now);
    return this.#next;
  }

  #stateChanged(connection: Connection, state: RtcState): void {
    if (state === "connected" && connection === this.#next) this.#takeOver(connection);
    if (state === "failed" && connection === this.#current && !this.#trial.runs) this.#recovery.failed();
    if (connection === this.#current && state === "connected") this.#trial.end(true);
  }

  #takeOver(connection: Connection): void {
    const old = this.#current;
    this.#current = connection;
    this.#next = undefined;
    if (connection.transport === "tcp" || connection.transport === "relay") this.#udpReturn.left();
    else this.#udpReturn.cancel();
    this.#events.streams(connection.rtc.streams);
    if (old !== connection) old?.rtc.close();
    this.#wanted.sync();
    // The agent accepted an offer that was made for the media server: its next connection has the clock.
    if (connection.plain && this.#crowd === undefined) this.renew();
  }

  #recover(step: RecoveryStep): void {
    if (step === "keyFrame") this.#clockPoll.requestKeyFrame();
    // A transport under trial is left alone.
    else if (this.#trial.runs) return;
    else if (step === "restart") void this.#restart();
    else void this.#renew(step === "renew" || this.#crowd !== undefined ? "any" : this.#withoutUdp());
  }

  /** Alternates between TCP to the agent and a relay over TCP, where there is one. */
  #withoutUdp(): Transport {
    const relay = this.#relayNext && relaysOverTcp(this.#servers.known);
    this.#relayNext = !this.#relayNext;
    return relay ? "relay" : "tcp";
  }

  async #restart(): Promise<void> {
    // Not every WHEP server restarts ICE: a new session does the same.
    const connection = this.#crowd === undefined ? (this.#answering ?? this.#next) : undefined;
    await (connection === undefined ? this.#renew("any") : this.#offer(connection, true));
  }

  async #renew(transport: Transport): Promise<Connection | undefined> {
    if (!this.#game.online) return undefined;
    const connection = this.#open(transport);
    return (await this.#offer(connection, false)) ? connection : undefined;
  }

  /** Sends an offer if the agent does not know what is wanted; true once it does. Without a connection the next one is opened as wanted. */
  async #offerWanted(): Promise<boolean> {
    const connection = this.#answering;
    if (this.#crowd !== undefined || connection === undefined || !connection.rtc.want(this.#wanted.now)) return true;
    return await this.#offer(connection, false);
  }

  /** False when the offer was not answered, or the answer did not fit. */
  async #offer(connection: Connection, restart: boolean): Promise<boolean> {
    // Another one has replaced it meanwhile, or there is no seat to send an offer from.
    if (!this.#game.online || (connection !== this.#next && connection !== this.#current)) return false;
    this.#asking += 1;
    try {
      if (restart) this.#servers.setFor(connection);
      const made = connection.offer(restart);
      // Counted before the wait: another may be made meanwhile.
      const { offers } = connection;
      const answer = await this.#ask(await made);
      // An answer to an offer that a newer one has replaced does not fit any more.
      if (answer.is !== "done" || this.#ended || connection.offers !== offers) return false;
      this.#servers.learn(answer.data.iceServers, connection);
      if (connection === this.#current) await connection.accept(answer.data.sdp);
      else if (connection === this.#next) await this.#accept(connection, answer.data.sdp);
      return true;
    } catch (error) {
      this.#deps.log("The page could not renew the media connection.", error);
      return false;
    } finally {
      this.#asking -= 1;
    }
  }

  /** Brings the offer to the media server or, where there is none or it fails, to the agent. */
  async #ask(sdp: string): Promise<OfferAnswer> {
    const crowd = this.#crowd;
    const watched = await crowd?.offer(sdp);
    if (watched?.is === "done") return { is: "done", data: { ...watched.data, iceServers: [] } };
    const answer = await this.#game.request("offer", { sdp, framesPerSecond: this.#deps.framesPerSecond });
    // The agent had a place again, and keeps it.
    if (answer.is === "done" && crowd === this.#crowd) this.watchAt(undefined);
    return answer;
  }

  async #accept(connection: Connection, sdp: string): Promise<void> {
    await connection.accept(sdp);
    if (connection !== this.#next) return;
    if (this.#current?.state !== "connected" || connection.state === "connected") this.#takeOver(connection);
  }

  #lookLater(): void {
    this.#stopLooks();
    this.#stopLooks = this.#deps.timers.after(LOOK_MS, () => {
      this.#look();
      this.#lookLater();
    });
  }

  /** Looks at video and counters; the findings drive the recovery and the return to UDP. */
  #look(): void {
    this.#looks += 1;
    if (this.#looks % LOOKS_A_READING === 0) void this.#current?.rtc.stats().then((stats) => this.#readStats(stats));
    // Video that is not wanted for now is not missing.
    if (this.#wanted.resting) this.#recovery.frameShown();
    this.#recovery.look(this.#sign);
    const missingMs = this.#recovery.missingMs();
    this.#events.looked(missingMs);
    if (missingMs <= LOOK_MS && this.#udpReturn.isDue()) this.#returnToUdp();
  }

  #readStats(stats: RtcStats | undefined): void {
    if (stats === undefined || this.#ended) return;
    const udp = stats.path.protocol !== "tcp";
    let poor = this.#sign?.poor === true;
    if (this.#reported === undefined || this.#looks % LOOKS_A_REPORT === 0) {
      poor = lossBetween(this.#reported, stats) >= POOR_LOSS;
      this.#reported = stats;
      this.#events.stats(stats);
      this.#udpReturn.uses(udp);
    }
    const { videoBytes: bytes, framesDecoded: frames, linkBytes } = stats;
    this.#sign = { bytes, frames, linkBytes, hidden: this.#deps.hidden(), poor, udp };
  }

  /** On the same connection: where UDP is still closed ICE finds TCP again. */
  #returnToUdp(): void {
    this.#current?.widen();
    void this.#restart();
  }
}

/** A transport under trial has this long to connect, ms. */
const TRIAL_MS = 6_000;

/** The trial of one transport: waits until it connects, or for long enough. */
class Trial {
  readonly #timers: Timers;
  #resolve: ((connected: boolean) => void) | undefined;
  #stop: Stop = () => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get runs(): boolean {
    return this.#resolve !== undefined;
  }

  /** Ends a trial that still runs. `over` ends this one only, not one that has begun since. */
  begin(): { readonly connected: Promise<boolean>; readonly over: (connected: boolean) => void } {
    this.end(false);
    this.#stop = this.#timers.after(TRIAL_MS, () => this.end(false));
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#resolve = resolve;
    return { connected: promise, over: (connected) => this.#resolve === resolve && this.end(connected) };
  }

  end(connected: boolean): void {
    this.#stop();
    this.#resolve?.(connected);
    this.#resolve = undefined;
  }
}
