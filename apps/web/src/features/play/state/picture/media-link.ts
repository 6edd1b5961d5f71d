import type { Candidate } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Stop, Timers } from "@longarm/link/socket";
import type { Step } from "../recovery/ladder.ts";
import { Ladder } from "../recovery/ladder.ts";
import { Lookout } from "../recovery/lookout.ts";
import type { Way } from "../recovery/way.ts";
import { hasRelay, relaysOverTcp, serversFor } from "../recovery/way.ts";
import { createWayBack } from "../recovery/way-back.ts";
import { Line } from "./line.ts";
import type { MediaLinkDeps } from "./media-link-deps.ts";
import type { ChannelName, RtcState } from "./rtc-port.ts";
import type { WayTried } from "./trial.ts";
import { Trial } from "./trial.ts";
import type { Wanted } from "./wanted.ts";
import { WantedPictures } from "./wanted.ts";

/**
 * The picture's way from the agent. A new connection takes over only once it stands, so that the old one plays on meanwhile; what is done
 * when pictures stay away the ladder says.
 */
export class MediaLink {
  readonly #deps: MediaLinkDeps;
  readonly #ladder;
  readonly #wayBack;
  readonly #lookout: Lookout;
  readonly #servers: LateServers;
  #current: Line | undefined;
  #next: Line | undefined;
  #relayNext = false;
  readonly #trial: Trial;
  readonly #wanted: WantedPictures;
  #ended = false;

  constructor(deps: MediaLinkDeps) {
    this.#deps = deps;
    this.#servers = new LateServers(deps, (line) => void this.#ask(line, true));
    this.#trial = new Trial(deps.timers);
    this.#wanted = new WantedPictures({ timers: deps.timers, ask: () => this.#askWanted() });
    this.#wayBack = createWayBack(deps.now);
    this.#ladder = new Ladder({
      now: deps.now,
      live: deps.events.live,
      step: deps.events.recovery,
      stands: () => this.#current?.state === "connected",
      take: (step) => this.#take(step),
    });
    const { timers, hidden, events } = deps;
    this.#lookout = new Lookout({
      ...{ timers, hidden, ladder: this.#ladder, wayBack: this.#wayBack },
      read: () => this.#current?.rtc.stats(),
      stats: events.stats,
      looked: events.looked,
      resting: () => this.#wanted.resting,
      goBack: () => this.#goBack(),
    });
  }

  /** A new connection and its offer, for `init`. */
  freshOffer(): Promise<string> {
    return this.#open("any").offer(false);
  }

  /** What `init` answered to the offer it carried, and the servers, which nothing could be asked of before. Without an answer, or with one that does not fit, another offer is made. */
  async answered(sdp: string | undefined, servers: readonly IceServer[]): Promise<void> {
    this.#servers.learned(servers, this.#next);
    if (this.#current !== undefined) this.#current.stale = true;
    try {
      if (sdp === undefined) await this.#renew("any");
      else if (this.#next !== undefined) await this.#accept(this.#next, sdp);
    } catch (error) {
      this.#deps.log("The agent's answer could not be taken.", error);
    }
    if (this.#ended) return;
    this.#ladder.begin();
    this.#lookout.start();
  }

  /** Another connection at once, for an agent that does not know this one. */
  renew(): void {
    void this.#renew("any");
  }

  /** The network changed or the page woke up: what is missing is not waited for. */
  hurry(newNetwork: boolean): void {
    if (newNetwork) this.#wayBack.soon();
    this.#ladder.hurry();
  }

  /** What of the agent's pictures is wanted from now on. */
  want(part: Partial<Wanted>): void {
    this.#wanted.change(part);
  }

  /** A picture was shown. */
  shown(): void {
    this.#ladder.shown();
  }

  /** A candidate of the agent's. */
  candidate(candidate: Candidate): void {
    this.#next?.heard(candidate);
    this.#current?.heard(candidate);
  }

  /** False while no channel is open. */
  send(name: ChannelName, frame: string): boolean {
    return this.#known?.rtc.send(name, frame) === true;
  }

  /** Old ones are asked for anew first: only an answer to an offer brings them. */
  async servers(): Promise<readonly IceServer[]> {
    if (this.#servers.worn && this.#known !== undefined) await this.#ask(this.#known, false);
    return this.#servers.known;
  }

  /** Whether a connection can be made on this way; one that stands plays on. For when no picture comes: it takes the old one's place. */
  async tryWay(way: Way): Promise<WayTried> {
    const trial = this.#trial.begin();
    const line = await this.#renew(way);
    const connected = line !== undefined && (line.state === "connected" || (await trial.stands));
    trial.over(connected);
    if (line === undefined) return { is: "refused", own: 0, theirs: 0 };
    if (!connected && line === this.#next) this.#drop();
    return { is: connected ? "connected" : "failed", ...line.facts };
  }

  end(): void {
    this.#ended = true;
    this.#lookout.end();
    this.#servers.end();
    this.#wanted.end();
    this.#trial.end(false);
    this.#drop();
    this.#current?.rtc.close();
  }

  /** The one in use. One from before the seat was taken again plays on, but the agent answers no offer of its side any more. */
  get #known(): Line | undefined {
    return this.#current?.stale === false ? this.#current : undefined;
  }

  #drop(): void {
    this.#next?.rtc.close();
    this.#next = undefined;
  }

  #open(way: Way): Line {
    const { events, openRtc, sendCandidate } = this.#deps;
    this.#drop();
    this.#next = new Line(openRtc, this.#servers.known, way, {
      candidate: sendCandidate,
      state: (line, state) => this.#state(line, state),
      channelOpen: (line, name) => {
        if (line === this.#next) this.#takeOver(line);
        events.channelOpen(name);
      },
      channelFrame: (line, name, frame) => line === this.#current && events.channelFrame(name, frame),
    });
    this.#servers.asked(this.#next);
    this.#next.rtc.want(this.#wanted.now);
    return this.#next;
  }

  #state(line: Line, state: RtcState): void {
    if (state === "connected" && line === this.#next) this.#takeOver(line);
    if (state === "failed" && line === this.#current && !this.#trial.runs) this.#ladder.failed();
    if (line === this.#current && state === "connected") this.#trial.end(true);
  }

  #takeOver(line: Line): void {
    const old = this.#current;
    this.#current = line;
    this.#next = undefined;
    if (line.way === "tcp" || line.way === "relay") this.#wayBack.left();
    else this.#wayBack.forget();
    this.#deps.events.streams(line.rtc.streams);
    if (old !== line) old?.rtc.close();
    this.#wanted.look();
  }

  #take(step: Step): void {
    if (step === "keyFrame") this.#deps.events.keyFrame();
    // A way that is being tried by hand is left alone.
    else if (this.#trial.runs) return;
    else if (step === "restart") void this.#restart();
    else void this.#renew(step === "renew" ? "any" : this.#withoutUdp());
  }

  /** TCP to the agent and a relay over TCP in turn, where there is one. */
  #withoutUdp(): Way {
    const relay = this.#relayNext && relaysOverTcp(this.#servers.known);
    this.#relayNext = !this.#relayNext;
    return relay ? "relay" : "tcp";
  }

  async #restart(): Promise<void> {
    const line = this.#known ?? this.#next;
    await (line === undefined ? this.#renew("any") : this.#ask(line, true));
  }

  async #renew(way: Way): Promise<Line | undefined> {
    if (!this.#deps.online()) return undefined;
    const line = this.#open(way);
    return (await this.#ask(line, false)) ? line : undefined;
  }

  /** Without a connection there is nothing to tell: the next one is opened as wanted. */
  async #askWanted(): Promise<boolean> {
    const line = this.#known;
    if (line === undefined || !line.rtc.want(this.#wanted.now)) return true;
    const known = await this.#ask(line, false);
    if (line === this.#current) this.#deps.events.streams(line.rtc.streams);
    return known;
  }

  /** False when the offer was not answered, or the answer did not fit. */
  async #ask(line: Line, restart: boolean): Promise<boolean> {
    // Another has taken its place in the meantime, or nothing can be asked.
    if (!this.#deps.online() || (line !== this.#next && line !== this.#current)) return false;
    try {
      if (restart) this.#servers.ask(line);
      const made = line.offer(restart);
      // Counted before the wait: another may be made meanwhile.
      const { offers } = line;
      const answer = await this.#deps.sendOffer(await made);
      // The answer to an offer that a newer one has replaced fits no more.
      if (answer.is !== "done" || this.#ended || line.offers !== offers) return false;
      this.#servers.learned(answer.data.iceServers, line);
      if (line === this.#current) await line.accept(answer.data.sdp);
      else if (line === this.#next) await this.#accept(line, answer.data.sdp);
      return true;
    } catch (error) {
      this.#deps.log("The picture's connection could not be renewed.", error);
      return false;
    }
  }

  async #accept(line: Line, sdp: string): Promise<void> {
    await line.accept(sdp);
    if (line !== this.#next) return;
    if (this.#current?.state !== "connected" || line.state === "connected") this.#takeOver(line);
  }

  /** Back to UDP, on the same connection: where it is still closed ICE finds TCP again. */
  #goBack(): void {
    this.#current?.widen();
    void this.#restart();
  }
}

/** A direct way has been found by then, where there is one, ms. */
const DIRECT_MS = 500;
/** Servers are good for ten minutes (docs/contract.md, section 3); those known for less than this are taken for good, ms. */
export const FRESH_MS = 300_000;

type LateServersDeps = {
  /** Those of the settings. */
  readonly iceServers: readonly IceServer[];
  readonly timers: Timers;
  readonly now: () => number;
};

/**
 * The servers to ask for addresses, minted anew with each answer of the platform. A browser asks those that it learns of after its offer
 * only with a restart: where only a relay leads to the machine that is not put off until pictures are missed.
 */
class LateServers {
  readonly #deps: LateServersDeps;
  readonly #restart: (line: Line) => void;
  #known: readonly IceServer[];
  #knownAt = Number.NEGATIVE_INFINITY;
  /** Asked none, or old ones. */
  #late: Line | undefined;
  #stop: Stop = () => {};

  constructor(deps: LateServersDeps, restart: (line: Line) => void) {
    this.#deps = deps;
    this.#restart = restart;
    this.#known = deps.iceServers;
  }

  get known(): readonly IceServer[] {
    return this.#known;
  }

  /** They were minted once, and may be good no more. */
  get worn(): boolean {
    return Number.isFinite(this.#knownAt) && this.#old;
  }

  get #old(): boolean {
    return this.#deps.now() - this.#knownAt >= FRESH_MS;
  }

  /** The line is about to restart. */
  ask(line: Line): void {
    line.setIceServers(this.#known);
    this.asked(line);
  }

  /** The line asks what was known until now. */
  asked(line: Line): void {
    this.#late = this.#old ? line : undefined;
    this.#stop();
  }

  /** What an answer to the line brought; nothing: what is known holds. */
  learned(servers: readonly IceServer[], line: Line | undefined): void {
    if (servers.length === 0) return;
    this.#known = servers;
    this.#knownAt = this.#deps.now();
    if (line === undefined || line !== this.#late || !hasRelay(serversFor(line.way, servers))) return;
    this.#late = undefined;
    this.#stop = this.#deps.timers.after(DIRECT_MS, () => {
      if (line.state === "connecting") this.#restart(line);
    });
  }

  end(): void {
    this.#stop();
  }
}
