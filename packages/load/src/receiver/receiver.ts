import type { Candidate } from "@longarm/contract/game-socket";
import type { Timers } from "@longarm/link/socket";
import type { Seen } from "../figures/picture-log.ts";
import { PictureLog } from "../figures/picture-log.ts";
import { AgentClock } from "./agent-clock.ts";
import type { ChannelName, Connection, Way } from "./connection.ts";
import { openConnection } from "./connection.ts";
import { Media } from "./media.ts";
import type { Picture } from "./pictures.ts";
import type { StreamCounts } from "./received-stream.ts";

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
  readonly log?: PictureLog;
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
  /** What was seen since it was last asked. `final`: a gap that still lasts counts too. */
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
  const log = deps.log ?? new PictureLog();
  let firstAtMs: number | undefined;
  let closed = false;
  let stopTimer = (): void => {};
  let asked = 0;
  let askedAtMs = Number.NEGATIVE_INFINITY;
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
    if (asked >= FIRST_CLOCKS && nowMs - askedAtMs < CLOCK_EVERY_MS) return;
    if (!connection.send("clock", clock.ask(nowMs))) return;
    asked += 1;
    askedAtMs = nowMs;
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
