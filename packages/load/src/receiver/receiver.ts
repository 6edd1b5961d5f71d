import { ClockAnswer } from "@longarm/contract/data-channel";
import type { Candidate } from "@longarm/contract/game-socket";
import type { Timers } from "@longarm/link/socket";
import type { Seen } from "../figures.ts";
import { FrameLog } from "../figures.ts";
import type { ChannelName, Connection, Way } from "./connection.ts";
import { openConnection, PAYLOAD, TRANSPORT_SEQUENCE_ID } from "./connection.ts";
import type { Picture } from "./frames.ts";
import { Pictures } from "./frames.ts";
import type { RtpPacket } from "./rtp.ts";
import { readRtp, readSenderReports, writeArrivals, writeNack, writePli, writeReceiverReport } from "./rtp.ts";
import type { StreamCounts } from "./stream.ts";
import { ArrivalLog, ReceivedStream } from "./stream.ts";

export type ReceiverDeps = {
  readonly timers: Timers;
  /** Ms that never run backwards. */
  readonly now: () => number;
  readonly connected?: () => void;
  /** The connection is gone and does not come back by itself. */
  readonly lost?: (why: string) => void;
  readonly channelOpen?: (name: ChannelName) => void;
  /** A frame of the `press` channel. */
  readonly pressFrame?: (frame: string) => void;
  /** Each picture, once it is whole and what it needs was there. */
  readonly picture?: (picture: Picture) => void;
  /** Where its pictures are noted; absent: in a log of its own. */
  readonly log?: FrameLog;
  /** Each round trip over the `clock` channel, ms. */
  readonly roundTrip?: (ms: number) => void;
};

export type ReceiverCounts = { readonly video: StreamCounts; readonly sound: StreamCounts };

/** A page's end of one machine's picture, sound and data channels, without a page. */
export type Receiver = {
  readonly clock: AgentClock;
  /** The offer of `init` or of a further `offer`; once. */
  offer(): Promise<string>;
  accept(sdp: string): Promise<void>;
  addCandidate(candidate: Candidate): void;
  /** False while the channel is not open. */
  send(name: ChannelName, frame: string): boolean;
  counts(): ReceiverCounts;
  /** When the first picture was whole, ms. */
  readonly firstPictureAtMs: number | undefined;
  readonly lastPictureAtMs: number | undefined;
  /** What was seen since the last call. `final`: a gap that still lasts counts too. */
  takeSeen(final?: boolean): Seen;
  close(): Promise<void>;
};

/** What is missing is looked at so often, ms. */
const LOOK_MS = 100;
const CLOCK_EVERY_MS = 1_000;
/** The first questions come quickly, so that the first press has a clock. */
const FIRST_CLOCKS = 5;

/** Nothing is sent before the `offer` is answered; then the receiver keeps itself going until `close`. */
export function openReceiver(deps: ReceiverDeps, way: Way = {}): Receiver {
  const clock = new AgentClock();
  const log = deps.log ?? new FrameLog();
  let firstAtMs: number | undefined;
  let closed = false;
  let stopTimer = (): void => {};
  let requests = 0;
  let requestedAtMs = Number.NEGATIVE_INFINITY;
  const media = new Media({
    now: deps.now,
    sendRtcp: (packet) => connection.sendRtcp(packet),
    wantKey: () => void connection.send("clock", clock.ask(deps.now(), true)),
    picture(picture) {
      firstAtMs ??= picture.atMs;
      log.picture(picture, clock.ageMs(picture.timestamp, picture.atMs));
      deps.picture?.(picture);
    },
  });
  const askClock = (nowMs: number): void => {
    if (requests >= FIRST_CLOCKS && nowMs - requestedAtMs < CLOCK_EVERY_MS) return;
    if (!connection.send("clock", clock.ask(nowMs))) return;
    requests += 1;
    requestedAtMs = nowMs;
  };
  const look = (): void => {
    const nowMs = deps.now();
    askClock(nowMs);
    media.look(nowMs, clock.roundTripMs);
    if (!closed) stopTimer = deps.timers.after(LOOK_MS, look);
  };
  const connection: Connection = openConnection(way, {
    rtp: (packet) => media.rtp(packet),
    rtcp: (packet) => media.rtcp(packet),
    connected() {
      deps.connected?.();
      look();
    },
    lost: (why) => deps.lost?.(why),
    channelOpen(name) {
      if (name === "clock") askClock(deps.now());
      deps.channelOpen?.(name);
    },
    channelFrame(name, frame) {
      if (name === "press") return deps.pressFrame?.(frame);
      const roundTripMs = clock.heard(frame, deps.now());
      if (roundTripMs !== undefined) deps.roundTrip?.(roundTripMs);
    },
  });
  return {
    clock,
    offer: connection.offer,
    accept: connection.accept,
    addCandidate: connection.addCandidate,
    send: connection.send,
    counts: () => media.counts(),
    get firstPictureAtMs() {
      return firstAtMs;
    },
    get lastPictureAtMs() {
      return log.lastAtMs;
    },
    takeSeen: (final) => log.take(deps.now(), final),
    async close() {
      closed = true;
      stopTimer();
      await connection.close();
    },
  };
}

type MediaDeps = {
  readonly now: () => number;
  readonly sendRtcp: (packet: Buffer) => void;
  /** Pictures are missing: the page asks over its `clock` channel too. */
  readonly wantKey: () => void;
  readonly picture: (picture: Picture) => void;
};

const REPORT_EVERY_MS = 1_000;
/** Before the first one is known, ms. */
const ROUND_TRIP_MS = 100;
const NONE: StreamCounts = { packets: 0, bytes: 0, missed: 0, repaired: 0, reordered: 0, nacks: 0 };

/** Video and sound of one connection from their RTP packets, and the receiver's feedback to the sender, as a browser sends it. */
class Media {
  readonly #deps: MediaDeps;
  readonly #arrivals = new ArrivalLog();
  #video: ReceivedStream | undefined;
  #sound: ReceivedStream | undefined;
  #pictures: Pictures | undefined;
  #roundTripMs = ROUND_TRIP_MS;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: MediaDeps) {
    this.#deps = deps;
  }

  counts(): { video: StreamCounts; sound: StreamCounts } {
    return { video: this.#video?.counts ?? NONE, sound: this.#sound?.counts ?? NONE };
  }

  /** A decrypted RTP packet. */
  rtp(bytes: Buffer): void {
    const packet = readRtp(bytes, TRANSPORT_SEQUENCE_ID);
    if (packet === undefined) return;
    const nowMs = this.#deps.now();
    if (packet.payloadType === PAYLOAD.opus) {
      this.#sound ??= new ReceivedStream(packet.ssrc, 48);
      this.#sound.take(packet.sequence, packet.timestamp, bytes.length, nowMs);
    } else if (packet.payloadType === PAYLOAD.h264 || packet.payloadType === PAYLOAD.vp8)
      this.#videoPacket(packet, bytes.length, nowMs);
  }

  rtcp(bytes: Buffer): void {
    for (const { ssrc, ntpMiddle } of readSenderReports(bytes))
      for (const stream of [this.#video, this.#sound])
        if (stream?.ssrc === ssrc) stream.senderReport(ntpMiddle, this.#deps.now());
  }

  /** Asks for what is missing and reports; to be called several times a second. */
  look(nowMs: number, roundTripMs: number | undefined): void {
    this.#roundTripMs = roundTripMs ?? ROUND_TRIP_MS;
    const video = this.#video;
    if (video !== undefined) {
      this.#askAgain(video, nowMs);
      const due = this.#arrivals.due();
      if (due !== undefined) this.#deps.sendRtcp(writeArrivals(video.ssrc, due.first, due.arrivedAtMs, due.count));
    }
    if (nowMs - this.#reportedAtMs < REPORT_EVERY_MS) return;
    this.#reportedAtMs = nowMs;
    const streams = [video, this.#sound].filter((one) => one !== undefined);
    this.#deps.sendRtcp(writeReceiverReport(streams.map((one) => one.report(nowMs))));
  }

  #videoPacket(packet: RtpPacket, bytes: number, nowMs: number): void {
    if (this.#video?.ssrc !== packet.ssrc) {
      this.#video = new ReceivedStream(packet.ssrc, 90);
      const codec = packet.payloadType === PAYLOAD.h264 ? "h264" : "vp8";
      this.#pictures = new Pictures({ codec, picture: this.#deps.picture });
    }
    if (packet.transportSequence !== undefined) this.#arrivals.take(packet.transportSequence, nowMs);
    const missed = this.#video.counts.missed;
    const number = this.#video.take(packet.sequence, packet.timestamp, bytes, nowMs);
    if (number === undefined) return;
    this.#pictures?.add(number, packet, nowMs);
    if (this.#video.counts.missed > missed) this.#askAgain(this.#video, nowMs);
  }

  #askAgain(video: ReceivedStream, nowMs: number): void {
    const sequences = video.toAsk(nowMs, this.#roundTripMs);
    if (sequences.length > 0) this.#deps.sendRtcp(writeNack(video.ssrc, sequences));
    if (!this.#pictures?.wantsKey(nowMs)) return;
    this.#deps.sendRtcp(writePli(video.ssrc));
    this.#deps.wantKey();
  }
}

/** The newest answers kept: about half a minute, in which two quartz clocks part by a millisecond or two. */
const KEPT = 30;
const ROUND_TRIP_MS_MAX = 5_000;
const RTP_PER_MS = 90;
/** Questions that may still be answered. */
const OPEN_MAX = 16;

type Sample = { readonly offsetMs: number; readonly roundTripMs: number };

/** What is known of the agent's clock, from questions over the `clock` channel: of the newest answers the quickest is believed. */
export class AgentClock {
  #open: number[] = [];
  #answers: Sample[] = [];
  #picture: { readonly rtp: number; readonly capturedAt: number } | undefined;

  /** The message that asks for the agent's time at `nowMs`. `keyFrame`: frames are missing. */
  ask(nowMs: number, keyFrame = false): string {
    this.#open = [...this.#open, nowMs].slice(-OPEN_MAX);
    return JSON.stringify({ t0: nowMs, ...(keyFrame && { keyFrame }) });
  }

  /** The round trip of an answer, ms; undefined for what is none of ours. */
  heard(frame: string, nowMs: number): number | undefined {
    const answer = ClockAnswer.safeParse(parseJson(frame));
    if (!answer.success || !this.#open.includes(answer.data.t0)) return undefined;
    const { t0, t1, t2, rtp, capturedAt } = answer.data;
    this.#open = this.#open.filter((one) => one !== t0);
    const roundTripMs = nowMs - t0 - (t2 - t1);
    if (!(roundTripMs >= 0 && roundTripMs <= ROUND_TRIP_MS_MAX)) return undefined;
    this.#answers = [...this.#answers, { offsetMs: (t1 - t0 + (t2 - nowMs)) / 2, roundTripMs }].slice(-KEPT);
    if (rtp !== null && capturedAt !== null) this.#picture = { rtp, capturedAt };
    return roundTripMs;
  }

  /** The quickest of the newest answers, ms. */
  get roundTripMs(): number | undefined {
    return this.#best?.roundTripMs;
  }

  /** A moment of ours on the agent's clock; before the first answer both are taken for the same. */
  toAgent(ms: number): number {
    return ms + (this.#best?.offsetMs ?? 0);
  }

  /** How old a picture with this RTP timestamp (90 kHz, 32 bits) is at `nowMs`, ms; undefined before anything is known. */
  ageMs(rtp: number, nowMs: number): number | undefined {
    if (this.#picture === undefined || this.#best === undefined) return undefined;
    // The difference in 32 bits, with its sign: right across a wrap.
    const capturedAt = this.#picture.capturedAt + ((rtp - this.#picture.rtp) | 0) / RTP_PER_MS;
    return this.toAgent(nowMs) - capturedAt;
  }

  get #best(): Sample | undefined {
    const [first, ...others] = this.#answers;
    if (first === undefined) return undefined;
    return others.reduce((best, next) => (next.roundTripMs <= best.roundTripMs ? next : best), first);
  }
}

function parseJson(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch {
    return undefined;
  }
}
