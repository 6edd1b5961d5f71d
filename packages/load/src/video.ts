import type { Candidate } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Answer } from "@longarm/link/answer";
import type { Timers } from "@longarm/link/socket";
import type { Seen } from "./figures.ts";
import { FrameLog } from "./figures.ts";
import type { ChannelName } from "./receiver/connection.ts";
import type { AgentClock, Receiver, ReceiverCounts, ReceiverDeps } from "./receiver/receiver.ts";
import { openReceiver } from "./receiver/receiver.ts";

type VideoLinkDeps = {
  readonly timers: Timers;
  readonly now: () => number;
  readonly loopback: boolean;
  /** Of the settings, until a seat brings its own. */
  readonly iceServers: readonly IceServer[];
  readonly sendOffer: (sdp: string) => Promise<Answer<{ sdp: string; iceServers: readonly IceServer[] }>>;
  readonly pressFrame: (frame: string) => void;
  readonly renewed: () => void;
  readonly picture: NonNullable<ReceiverDeps["picture"]>;
  readonly roundTrip: NonNullable<ReceiverDeps["roundTrip"]>;
};

/** A connection that brings no frame for so long is replaced, ms. */
const NO_PICTURE_MS = 5_000;
const LOOK_MS = 500;

/** The video from the agent: a new receiver takes over once it is connected, and one that brings no frame is replaced, with the seat's own ICE servers. */
export class VideoLink {
  readonly #deps: VideoLinkDeps;
  /** Of all connections, so that the gap between two of them counts. */
  readonly #log = new FrameLog();
  #current: Receiver | undefined;
  #next: Receiver | undefined;
  #servers: readonly IceServer[];
  /** Servers that need credentials are known only once there is a seat. */
  #tries = 0;
  #since = 0;
  #candidates: Candidate[] = [];
  /** Lets go of the offer that is being made; undefined: none is. */
  #abandon: (() => void) | undefined;
  #stopLook = (): void => {};
  #ended = false;

  constructor(deps: VideoLinkDeps) {
    this.#deps = deps;
    this.#servers = deps.iceServers;
  }

  /** The agent's clock, as the connection in use knows it. */
  get clock(): AgentClock | undefined {
    return this.#current?.clock;
  }

  /** The receiver in use, for its figures. */
  get receiver(): Receiver | undefined {
    return this.#current;
  }

  get counts(): ReceiverCounts | undefined {
    return this.#current?.counts();
  }

  /** When the last frame came, ms. */
  get lastAtMs(): number | undefined {
    return this.#log.lastAtMs;
  }

  /** What was seen since the last call. `final`: a gap that still lasts counts too. */
  takeSeen(final = false): Seen {
    return this.#log.take(this.#deps.now(), final);
  }

  send(name: ChannelName, frame: string): boolean {
    return this.#current?.send(name, frame) === true;
  }

  /** A new connection and its offer; undefined: another one was requested, or the visit ended, before it was made. */
  async freshOffer(): Promise<string | undefined> {
    this.#abandon?.();
    void this.#next?.close();
    this.#candidates = [];
    const servers = serversOfTry(this.#tries, this.#servers);
    this.#tries += 1;
    const receiver: Receiver = openReceiver(
      {
        ...{ timers: this.#deps.timers, now: this.#deps.now, log: this.#log },
        connected: () => this.#takeOver(receiver),
        lost: () => this.#hurry(receiver),
        pressFrame: this.#deps.pressFrame,
        picture: this.#deps.picture,
        roundTrip: this.#deps.roundTrip,
      },
      { iceServers: servers, loopback: this.#deps.loopback },
    );
    this.#next = receiver;
    const abandoned = Promise.withResolvers<undefined>();
    const abandon = () => abandoned.resolve(undefined);
    this.#abandon = abandon;
    // Of a connection that is closed meanwhile it never comes.
    const offer = await Promise.race([receiver.offer().catch(() => undefined), abandoned.promise]);
    if (this.#abandon === abandon) this.#abandon = undefined;
    return offer;
  }

  /** What `init` answered to the offer it carried. */
  async answered(sdp: string | undefined, servers: readonly IceServer[]): Promise<void> {
    if (servers.length > 0) this.#servers = servers;
    // Without an answer another offer is made at once.
    this.#since = sdp === undefined ? Number.NEGATIVE_INFINITY : this.#deps.now();
    if (sdp !== undefined && this.#next !== undefined) await this.#accept(this.#next, sdp);
    this.#stopLook();
    if (!this.#ended) this.#look();
  }

  candidate(candidate: Candidate): void {
    this.#candidates.push(candidate);
    this.#next?.addCandidate(candidate);
    this.#current?.addCandidate(candidate);
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#abandon?.();
    this.#stopLook();
    await Promise.all([this.#next?.close(), this.#current?.close()]);
  }

  async #accept(receiver: Receiver, sdp: string): Promise<void> {
    await receiver.accept(sdp).catch(() => undefined);
    for (const candidate of this.#candidates) receiver.addCandidate(candidate);
  }

  #takeOver(receiver: Receiver): void {
    if (receiver !== this.#next || this.#ended) return;
    const old = this.#current;
    this.#current = receiver;
    this.#next = undefined;
    void old?.close();
  }

  #hurry(receiver: Receiver): void {
    if (receiver === this.#current || receiver === this.#next) this.#since -= NO_PICTURE_MS;
  }

  #look(): void {
    const nowMs = this.#deps.now();
    const seenAtMs = Math.max(this.#since, this.#log.lastAtMs ?? Number.NEGATIVE_INFINITY);
    if (nowMs - seenAtMs > NO_PICTURE_MS && this.#abandon === undefined) void this.#renew(nowMs);
    this.#stopLook = this.#deps.timers.after(LOOK_MS, () => this.#look());
  }

  async #renew(nowMs: number): Promise<void> {
    this.#since = nowMs;
    this.#deps.renewed();
    const offer = await this.freshOffer();
    const offered = this.#next;
    if (offer === undefined) return;
    const answer = await this.#deps.sendOffer(offer);
    if (answer.is !== "done" || offered === undefined || offered !== this.#next || this.#ended) return;
    if (answer.data.iceServers.length > 0) this.#servers = answer.data.iceServers;
    await this.#accept(offered, answer.data.sdp);
  }
}

/** The first try uses no server: a direct connection is ready sooner. Then servers over UDP and over TCP come first alternately, since only the first of a kind is used. */
function serversOfTry(tries: number, servers: readonly IceServer[]): readonly IceServer[] {
  if (tries === 0) return [];
  const each = servers.flatMap((server) => [server.urls].flat().map((urls) => ({ ...server, urls })));
  const isTcp = ({ urls }: { readonly urls: string }): number => Number(/^turns:|transport=tcp/.test(urls));
  const sign = tries % 2 === 1 ? 1 : -1;
  return each.toSorted((one, other) => sign * (isTcp(one) - isTcp(other)));
}
