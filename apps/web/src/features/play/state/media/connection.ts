import type { Candidate } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Stop, Timers } from "@longarm/link/socket";
import type { ChannelName, OpenRtc, RtcConnection, RtcState } from "./rtc-port.ts";

/**
 * What a connection may use. `any`: whatever ICE finds. `udp`: UDP without a server in between. `tcp`: the agent's TCP port. `relay`: a
 * TURN server, over TCP where one offers it.
 */
export type Transport = "any" | "udp" | "tcp" | "relay";

export type ConnectionEvents = {
  candidate(candidate: Candidate): void;
  state(connection: Connection, state: RtcState): void;
  channelOpen(connection: Connection, name: ChannelName): void;
  channelFrame(connection: Connection, name: ChannelName, frame: string): void;
  streams(connection: Connection): void;
};

/** How many candidates of each side fit the transport. */
export type CandidateCounts = { readonly own: number; readonly theirs: number };

/** One connection to the agent over one transport: candidates that do not fit it are neither sent nor accepted. */
export class Connection {
  readonly rtc: RtcConnection;
  state: RtcState = "connecting";
  /** The seat was taken again since: its channels speak for an older epoch. */
  stale = false;
  #transport: Transport;
  /** Our candidates, until the agent knows the offer. */
  #early: Candidate[] | undefined = [];
  /** The agent's candidates, until we know its answer. */
  #theirs: Candidate[] | undefined = [];
  #offers = 0;
  #ownCount = 0;
  #theirCount = 0;
  readonly #events: ConnectionEvents;
  /** Without data channels. */
  readonly plain: boolean;

  constructor(
    openRtc: OpenRtc,
    servers: readonly IceServer[],
    transport: Transport,
    events: ConnectionEvents,
    plain = false,
  ) {
    this.#transport = transport;
    this.#events = events;
    this.plain = plain;
    this.rtc = openRtc(
      serversFor(transport, servers),
      {
        candidate: (candidate) => this.#found(candidate),
        state: (state) => {
          this.state = state;
          events.state(this, state);
        },
        channelOpen: (name) => events.channelOpen(this, name),
        channelFrame: (name, frame) => events.channelFrame(this, name, frame),
        streams: () => events.streams(this),
      },
      transport === "relay",
      plain,
    );
  }

  get transport(): Transport {
    return this.#transport;
  }

  get candidateCounts(): CandidateCounts {
    return { own: this.#ownCount, theirs: this.#theirCount };
  }

  /** Sends and accepts every candidate from the next offer on. */
  widen(): void {
    this.#transport = "any";
  }

  /** Call it before a restart only: otherwise a browser makes one of its next offer. */
  setIceServers(servers: readonly IceServer[]): void {
    this.rtc.setIceServers(serversFor(this.#transport, servers), this.#transport === "relay");
  }

  /** How many offers were made. */
  get offers(): number {
    return this.#offers;
  }

  async offer(restart: boolean): Promise<string> {
    this.#offers += 1;
    return keepCandidates(await this.rtc.offer(restart), (candidate) => sendsCandidate(this.#transport, candidate));
  }

  /** Rejects when the answer does not fit. */
  async accept(sdp: string): Promise<void> {
    const fitting = keepCandidates(sdp, (candidate) => acceptsCandidate(this.#transport, candidate));
    this.#theirCount += fitting.split("\r\na=candidate:").length - 1;
    await this.rtc.accept(fitting);
    const early = this.#early;
    const theirs = this.#theirs;
    this.#early = undefined;
    this.#theirs = undefined;
    for (const candidate of early ?? []) this.#events.candidate(candidate);
    for (const candidate of theirs ?? []) this.rtc.addCandidate(candidate);
  }

  addCandidate(candidate: Candidate): void {
    if (candidate.candidate !== null && !acceptsCandidate(this.#transport, candidate.candidate)) return;
    if (candidate.candidate !== null) this.#theirCount += 1;
    if (this.#theirs !== undefined) this.#theirs.push(candidate);
    else this.rtc.addCandidate(candidate);
  }

  #found(candidate: Candidate): void {
    if (candidate.candidate !== null) {
      if (!sendsCandidate(this.#transport, candidate.candidate)) return;
      this.#ownCount += 1;
    }
    if (this.#early !== undefined) this.#early.push(candidate);
    else this.#events.candidate(candidate);
  }
}

/** Whether this transport sends a candidate of our own to the agent. */
export function sendsCandidate(transport: Transport, candidate: string): boolean {
  if (transport === "any") return true;
  if (transport === "relay") return / typ relay( |$)/.test(candidate);
  return protocolOf(candidate) === transport;
}

/** Whether this transport accepts a candidate of the agent. A relay reaches its peers over UDP. */
export function acceptsCandidate(transport: Transport, candidate: string): boolean {
  return transport === "any" || protocolOf(candidate) === (transport === "relay" ? "udp" : transport);
}

/** The description without the candidates that do not fit. */
export function keepCandidates(sdp: string, fits: (candidate: string) => boolean): string {
  return sdp
    .split("\r\n")
    .filter((line) => !line.startsWith("a=candidate:") || fits(line))
    .join("\r\n");
}

function protocolOf(candidate: string): string {
  return candidate.split(" ")[2]?.toLowerCase() ?? "";
}

/** The servers that help with this transport. */
export function serversFor(transport: Transport, servers: readonly IceServer[]): readonly IceServer[] {
  if (transport === "any") return servers;
  if (transport === "tcp") return [];
  if (transport === "udp") return keepServers(servers, (url) => /^stuns?:/.test(url));
  const overTcp = keepServers(servers, isTcpRelay);
  return overTcp.length > 0 ? overTcp : keepServers(servers, isRelay);
}

const isRelay = (url: string): boolean => /^turns?:/.test(url);
const isTcpRelay = (url: string): boolean => url.startsWith("turns:") || /^turn:.*\?transport=tcp$/.test(url);

/** Whether a server relays over TCP. */
export function relaysOverTcp(servers: readonly IceServer[]): boolean {
  return keepServers(servers, isTcpRelay).length > 0;
}

export function hasRelay(servers: readonly IceServer[]): boolean {
  return keepServers(servers, isRelay).length > 0;
}

function keepServers(servers: readonly IceServer[], wanted: (url: string) => boolean): IceServer[] {
  return servers.flatMap((server) => {
    const urls = [server.urls].flat().filter(wanted);
    return urls.length === 0 ? [] : [{ ...server, urls }];
  });
}

/** ICE has found a direct pair of candidates by then, where there is one, ms. */
export const DIRECT_MS = 500;
/** Servers are valid for ten minutes (docs/contract.md, section 3); younger ones than this are used without a new request, ms. */
export const FRESH_MS = 300_000;

/**
 * The servers that ICE queries, minted anew with each answer of the platform. A browser queries servers that it learns after its offer only
 * with a restart: where only a relay leads to the machine, the restart must not wait until video is missing.
 */
export class IceServers {
  readonly #timers: Timers;
  readonly #now: () => number;
  readonly #restart: (connection: Connection) => void;
  #known: readonly IceServer[];
  #knownAt = Number.NEGATIVE_INFINITY;
  /** A connection whose offer was made with no servers, or with old ones. */
  #late: Connection | undefined;
  #stop: Stop = () => {};

  /** `settings`: the servers of the settings, which are used until the platform sends others. */
  constructor(
    settings: readonly IceServer[],
    timers: Timers,
    now: () => number,
    restart: (connection: Connection) => void,
  ) {
    this.#known = settings;
    this.#timers = timers;
    this.#now = now;
    this.#restart = restart;
  }

  get known(): readonly IceServer[] {
    return this.#known;
  }

  /** The platform minted them, and they may have expired. */
  get mayHaveExpired(): boolean {
    return Number.isFinite(this.#knownAt) && this.#old;
  }

  get #old(): boolean {
    return this.#now() - this.#knownAt >= FRESH_MS;
  }

  /** Gives the connection the newest servers, before its restart. */
  setFor(connection: Connection): void {
    connection.setIceServers(this.#known);
    this.usedBy(connection);
  }

  /** The connection's next offer is made with what is known now. */
  usedBy(connection: Connection): void {
    this.#late = this.#old ? connection : undefined;
    this.#stop();
  }

  /** Keeps what an answer to the connection brought; an empty list changes nothing. */
  learn(servers: readonly IceServer[], connection: Connection | undefined): void {
    if (servers.length === 0) return;
    this.#known = servers;
    this.#knownAt = this.#now();
    const isLate = connection !== undefined && connection === this.#late;
    if (!isLate || !hasRelay(serversFor(connection.transport, servers))) return;
    this.#late = undefined;
    this.#stop = this.#timers.after(DIRECT_MS, () => {
      if (connection.state === "connecting") this.#restart(connection);
    });
  }

  end(): void {
    this.#stop();
  }
}
