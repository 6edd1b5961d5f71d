import type { Candidate } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import type { Way } from "../recovery/way.ts";
import { onlyFitting, ownFits, serversFor, theirsFits } from "../recovery/way.ts";
import type { ChannelName, OpenRtc, RtcConnection, RtcState } from "./rtc-port.ts";

export type LineEvents = {
  candidate(candidate: Candidate): void;
  state(line: Line, state: RtcState): void;
  channelOpen(line: Line, name: ChannelName): void;
  channelFrame(line: Line, name: ChannelName, frame: string): void;
};

/** What a line found out about its way: how many addresses each side named that fit. */
export type LineFacts = { readonly own: number; readonly theirs: number };

/** One connection to the agent with its way: addresses that do not fit it are neither told nor taken. */
export class Line {
  readonly rtc: RtcConnection;
  state: RtcState = "connecting";
  /** The seat was taken again since: its channels speak for an older epoch. */
  stale = false;
  #way: Way;
  /** Candidates wait until the other side knows the offer. */
  #early: Candidate[] | undefined = [];
  /** Those of the other side wait until we know its answer. */
  #theirs: Candidate[] | undefined = [];
  #offers = 0;
  #own = 0;
  #taken = 0;
  readonly #events: LineEvents;

  constructor(openRtc: OpenRtc, servers: readonly IceServer[], way: Way, events: LineEvents) {
    this.#way = way;
    this.#events = events;
    this.rtc = openRtc(
      serversFor(way, servers),
      {
        candidate: (candidate) => this.#found(candidate),
        state: (state) => {
          this.state = state;
          events.state(this, state);
        },
        channelOpen: (name) => events.channelOpen(this, name),
        channelFrame: (name, frame) => events.channelFrame(this, name, frame),
      },
      way === "relay",
    );
  }

  get way(): Way {
    return this.#way;
  }

  get facts(): LineFacts {
    return { own: this.#own, theirs: this.#taken };
  }

  /** Every address is told and taken again from the next offer on. */
  widen(): void {
    this.#way = "any";
  }

  /** Before a restart alone: a browser makes one of its next offer otherwise. */
  setIceServers(servers: readonly IceServer[]): void {
    this.rtc.setIceServers(serversFor(this.#way, servers), this.#way === "relay");
  }

  /** How many offers were made. */
  get offers(): number {
    return this.#offers;
  }

  async offer(restart: boolean): Promise<string> {
    this.#offers += 1;
    return onlyFitting(await this.rtc.offer(restart), (candidate) => ownFits(this.#way, candidate));
  }

  /** Rejects when the answer does not fit. */
  async accept(sdp: string): Promise<void> {
    const fitting = onlyFitting(sdp, (candidate) => theirsFits(this.#way, candidate));
    this.#taken += fitting.split("\r\na=candidate:").length - 1;
    await this.rtc.accept(fitting);
    const early = this.#early;
    const theirs = this.#theirs;
    this.#early = undefined;
    this.#theirs = undefined;
    for (const candidate of early ?? []) this.#events.candidate(candidate);
    for (const candidate of theirs ?? []) this.rtc.addCandidate(candidate);
  }

  /** A candidate of the agent's. */
  heard(candidate: Candidate): void {
    if (candidate.candidate !== null && !theirsFits(this.#way, candidate.candidate)) return;
    if (candidate.candidate !== null) this.#taken += 1;
    if (this.#theirs !== undefined) this.#theirs.push(candidate);
    else this.rtc.addCandidate(candidate);
  }

  #found(candidate: Candidate): void {
    if (candidate.candidate !== null) {
      if (!ownFits(this.#way, candidate.candidate)) return;
      this.#own += 1;
    }
    if (this.#early !== undefined) this.#early.push(candidate);
    else this.#events.candidate(candidate);
  }
}
