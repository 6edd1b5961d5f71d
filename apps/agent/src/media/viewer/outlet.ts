import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedStreams, RtpStream, ViewerConnection } from "../../ports/transport.ts";
import type { Arrivals } from "../rtp/arrivals.ts";
import { writeSenderReport } from "../rtp/rtcp.ts";
import type { MediaPacket } from "../rtp/rtp.ts";
import {
  AT_ONCE,
  EVENLY,
  rtpTimestamp,
  SOUND_CLOCK_HZ,
  setTransportSequence,
  VIDEO_CLOCK_HZ,
  writeRtp,
} from "../rtp/rtp.ts";
import { createDepartures } from "./departures.ts";
import { createPacer } from "./pacer.ts";
import { PROTECTION_GAP_MS, TWINS_COST } from "./rate-control.ts";
import { createRepairs } from "./repairs.ts";

/** The two streams of one connected viewer. `bitrate`: of its link at first, bit/s; afterwards as `tune` says. */
export function createOutlet(clock: Clock, connection: ViewerConnection, streams: NegotiatedStreams, bitrate: number) {
  const sent = createSentRate();
  const video = streams.video && createStreamWriter(streams.video, clock.now());
  const sound = streams.audio && createStreamWriter(streams.audio, clock.now());

  const departing = createDeparting(clock, connection, { stream: streams.video, sent, bitrate });
  const { departures, send: sendVideo, sendAgain } = departing;
  const repairs = streams.video?.repair && createRepairs(clock, streams.video, streams.video.repair, sendVideo);
  const repeatVideo = (sequences: readonly number[], hasRoom: boolean, byBrowser: boolean) => {
    if (!video) return;
    const repeats = video.repeat(sequences, clock.now(), { hasRoom, byBrowser });
    sendVideo(repeats, { urgent: true });
    if (hasRoom && repeats.length > 0) sendAgain(repeats, true);
  };
  const sendSound = (packets: readonly Buffer[]) => {
    sent.add(bytesOf(packets), clock.now());
    for (const packet of packets) connection.sendAudio(packet);
  };

  return {
    videoCodec: streams.videoCodec,
    videoSsrc: video?.ssrc ?? null,
    /** `protect`: for a link that loses packets, so that a lost one does not cost a round trip. */
    frame(packets: readonly MediaPacket[], protect: boolean): void {
      if (!video) return;
      const written = video.write(packets, clock.now());
      // A repair packet is made of packets that have their numbers: they get them when they leave.
      sendVideo(written, { left: () => protect && repairs?.protect(written) });
      if (protect && !repairs) sendAgain(written, false);
    },
    sound(packet: MediaPacket): void {
      if (sound) sendSound(sound.write([packet], clock.now()));
    },
    /**
     * Answers one NACK; one for a stream that is not ours is ignored. True when only a key frame can repair the video now. `hasRoom`: the link is far and
     * not full, so each repeat goes twice; one that is lost too would cost two more round trips.
     */
    repeat(ssrc: number, sequences: readonly number[], hasRoom: boolean): boolean {
      if (video && ssrc === video.ssrc) repeatVideo(sequences, hasRoom, true);
      else if (ssrc === sound?.ssrc) sendSound(sound.repeat(sequences, clock.now(), BY_BROWSER));
      return video?.gaveUp() ?? false;
    },
    /** Reads a report of arrivals. On a link with room what is missing is repeated before it is requested: that request may be lost too, or come a frame later. */
    arrived(arrivals: Arrivals, hasRoom: boolean): void {
      const missing = departures.report(arrivals, clock.now());
      if (hasRoom) repeatVideo(missing, true, false);
    },
    /** One sender report a stream. */
    report(): void {
      const now = clock.now();
      if (video) connection.sendRtcp(video.report(streams.cname, now, rtpTimestamp(now, VIDEO_CLOCK_HZ)));
      if (sound) connection.sendRtcp(sound.report(streams.cname, now, rtpTimestamp(now, SOUND_CLOCK_HZ)));
    },
    tune(roundTripMs: number | null, bitrate: number): void {
      departing.setBitrate(bitrate);
      video?.tune(roundTripMs, bitrate);
      sound?.tune(roundTripMs, bitrate);
    },
    smooth: (smooth: boolean) => video?.smooth(smooth),
    /** How much more the link carries with protection than without, as a factor; and whether the browser counts all of it. */
    protection: () => (repairs ? { cost: repairs.cost(), counted: true } : { cost: TWINS_COST, counted: false }),
    flow: () => departures.look(clock.now()),
    losses: () => video?.losses() ?? { sent: 0, requested: 0 },
    sentBps: () => sent.bitsPerSecond(clock.now()),
    videoBps: () => departing.bps(),
    repeated: () => (video?.repeated ?? 0) + (sound?.repeated ?? 0),
  };
}

/** Sends the video of one viewer in bursts that its link takes: counts and numbers what leaves. */
function createDeparting(
  clock: Clock,
  connection: ViewerConnection,
  link: {
    readonly stream: RtpStream | null;
    readonly sent: ReturnType<typeof createSentRate>;
    readonly bitrate: number;
  },
) {
  const { stream, sent } = link;
  const rate = createSentRate();
  const departures = createDepartures(clock.now());
  const pacer = createPacer(clock, link.bitrate, (packets, copies) => {
    // Copies have the same number and are not counted as sent: the browser reports each packet once.
    if (!copies) {
      const now = clock.now();
      sent.add(bytesOf(packets), now);
      rate.add(bytesOf(packets), now);
      if (stream) numberAll(packets, stream, departures, now);
    }
    connection.sendVideo(packets);
  });
  return {
    departures,
    bps: () => rate.bitsPerSecond(clock.now()),
    send: pacer.send,
    /** Sends them once more a little later, as they are. */
    sendAgain(packets: readonly Buffer[], urgent: boolean): void {
      clock.after(PROTECTION_GAP_MS, () => pacer.send(packets, { urgent, copies: true }));
    },
    setBitrate: pacer.setBitrate,
  };
}

/** Where an RTP packet has its number and its stream. */
const SEQUENCE_AT = 2;
const SSRC_AT = 8;

function numberAll(
  packets: readonly Buffer[],
  stream: RtpStream,
  departures: ReturnType<typeof createDepartures>,
  nowMs: number,
): void {
  for (const packet of packets) {
    const media = packet.readUInt32BE(SSRC_AT) === stream.ssrc ? packet.readUInt16BE(SEQUENCE_AT) : null;
    setTransportSequence(packet, stream, departures.leave(packet.length, nowMs, media));
  }
}

const bytesOf = (packets: readonly Buffer[]) => packets.reduce((sum, packet) => sum + packet.length, 0);

const SLICE_MS = 100;
const SLICES = 10;

/** Bytes of the last second, in slices of 100 ms. */
export function createSentRate() {
  const slices = new Float64Array(SLICES);
  let newest = 0;

  const advance = (nowMs: number) => {
    const slice = Math.floor(nowMs / SLICE_MS);
    if (slice - newest >= SLICES) slices.fill(0);
    else for (let at = newest + 1; at <= slice; at += 1) slices[at % SLICES] = 0;
    newest = Math.max(newest, slice);
  };

  return {
    add(bytes: number, nowMs: number): void {
      advance(nowMs);
      slices[newest % SLICES] = (slices[newest % SLICES] ?? 0) + bytes;
    },
    /** Bit/s over the last second. */
    bitsPerSecond(nowMs: number): number {
      advance(nowMs);
      // The newest slice is not over.
      const passedMs = (SLICES - 1) * SLICE_MS + (nowMs % SLICE_MS);
      return (slices.reduce((sum, bytes) => sum + bytes, 0) * 8_000) / passedMs;
    },
  };
}

/** Why packets are repeated. */
interface RepeatRequest {
  /** The link is not full: a packet may be repeated sooner again. */
  readonly hasRoom: boolean;
  /** The browser requested them. */
  readonly byBrowser: boolean;
}

const BY_BROWSER: RepeatRequest = { hasRoom: false, byBrowser: true };

/** One stream to one viewer: its own sequence numbers over packets shared by all. */
function createStreamWriter(stream: RtpStream, nowMs: number) {
  let playout = AT_ONCE;
  const repair = createRepair(nowMs);
  // A random first number, as RFC 3550 asks: the SSRC is random. Below 2^15, so that SRTP cannot misread a roll-over.
  let sequence = stream.ssrc & 0x7fff;
  let packets = 0;
  let bytes = 0;
  let repeated = 0;

  return {
    ssrc: stream.ssrc,
    /** The next packets of the stream, complete and in order. */
    write(media: readonly MediaPacket[], now: number): Buffer[] {
      return media.map((packet) => {
        const written = writeRtp(stream, packet, sequence, playout);
        repair.sent(sequence, packet, now);
        sequence = (sequence + 1) & 0xffff;
        packets += 1;
        bytes += packet.payload.length;
        return written;
      });
    },
    /** Frames evenly (true) or at once; the browser applies it from the next packet on. */
    smooth(smooth: boolean): void {
      playout = smooth ? EVENLY : AT_ONCE;
    },
    /** The repeats for one NACK. */
    repeat(sequences: readonly number[], now: number, request: RepeatRequest): Buffer[] {
      const again = repair.repeats(sequences, now, request);
      repeated += again.length;
      return again.map(({ packet, sequence: number }) => writeRtp(stream, packet, number, playout));
    },
    /** True once when a requested packet will not be repeated any more. */
    gaveUp: () => repair.gaveUp(),
    report: (cname: string, now: number, rtpNow: number) =>
      writeSenderReport({ ssrc: stream.ssrc, packets, bytes }, cname, now, rtpNow),
    tune(roundTripMs: number | null, bitrate: number): void {
      if (roundTripMs !== null) repair.setRoundTripMs(roundTripMs);
      repair.setBitrate(bitrate);
    },
    /** Packets written since the start, and how many of them were ever requested again. */
    losses: () => ({ sent: packets, requested: repair.requested }),
    get repeated() {
      return repeated;
    },
  };
}

/** Packets kept for repeats; about 2 s at 3 Mbit/s. A power of two that divides 2^16. */
const HISTORY_PACKETS = 1024;
/** Assumed round trip before the first report, ms. */
const FIRST_ROUND_TRIP_MS = 100;
/** A packet is repeated at most once in this share of a round trip: a second NACK may have crossed the repeat. */
const REPEAT_SHARE = 0.9;
const REPEAT_GAP_MS_MIN = 10;
/** On a link with room also sooner, if the round trip is longer: Chromium requests a packet again after 100 ms. */
const ROOMY_GAP_MS_MAX = 80;
/** Repeats may use this share of the bitrate, in bursts of this size. Beyond that a key frame is cheaper. */
const BUDGET_SHARE = 0.25;
const BUDGET_BYTES_MAX = 48_000;
/** A frame older than this is of no use to a player. */
const TOO_OLD_MS = 1_000;

interface Sent {
  sequence: number;
  packet: MediaPacket;
  sentAtMs: number;
  repeatedAtMs: number;
  requested: boolean;
}

interface Repair {
  /** Remembers a packet; the payload is shared with every other viewer, only this entry is our own. */
  sent(sequence: number, packet: MediaPacket, nowMs: number): void;
  /** The packets to send again for one NACK, each with its sequence. */
  repeats(
    sequences: readonly number[],
    nowMs: number,
    request?: RepeatRequest,
  ): { sequence: number; packet: MediaPacket }[];
  /**
   * True once when a requested packet will not be repeated any more, because it is too old or beyond the budget: the
   * browser would repeat its NACK for seconds before it requests a key frame.
   */
  gaveUp(): boolean;
  /** Packets that were ever requested again, each counted once. */
  readonly requested: number;
  setRoundTripMs(roundTripMs: number): void;
  setBitrate(bitsPerSecond: number): void;
}

/**
 * Answers NACKs: each packet at most once a round trip, all of them within a budget. Without both, the repeats of a full
 * link fill it for good (measured: 929 NACKs became 94,500 packets).
 */
export function createRepair(nowMs: number): Repair {
  const history: (Sent | undefined)[] = new Array(HISTORY_PACKETS);
  let roundTripMs = FIRST_ROUND_TRIP_MS;
  let bytesPerMs = 0;
  let budgetBytes = BUDGET_BYTES_MAX;
  let refilledAtMs = nowMs;
  let givenUp = false;
  let requested = 0;

  const refill = (now: number) => {
    budgetBytes = Math.min(BUDGET_BYTES_MAX, budgetBytes + Math.max(0, now - refilledAtMs) * bytesPerMs);
    refilledAtMs = now;
  };

  const repeatable = (sequence: number, now: number, { hasRoom, byBrowser }: RepeatRequest): Sent | undefined => {
    const entry = history[sequence % HISTORY_PACKETS];
    // A number that was never sent is no reason for a key frame.
    if (!entry || entry.sequence !== sequence) return undefined;
    if (byBrowser && !entry.requested) requested += 1;
    entry.requested ||= byBrowser;
    const tripMs = Math.max(REPEAT_GAP_MS_MIN, roundTripMs * REPEAT_SHARE);
    const gapMs = hasRoom ? Math.min(tripMs, ROOMY_GAP_MS_MAX) : tripMs;
    if (now - entry.repeatedAtMs < gapMs) return undefined;
    if (now - entry.sentAtMs <= TOO_OLD_MS && entry.packet.payload.length <= budgetBytes) return entry;
    givenUp ||= byBrowser;
    return undefined;
  };

  return {
    sent(sequence, packet, now) {
      const fresh = { sequence, packet, sentAtMs: now, repeatedAtMs: Number.NEGATIVE_INFINITY, requested: false };
      const entry = history[sequence % HISTORY_PACKETS];
      if (entry) Object.assign(entry, fresh);
      else history[sequence % HISTORY_PACKETS] = fresh;
    },
    repeats(sequences, now, request = BY_BROWSER) {
      refill(now);
      const again: { sequence: number; packet: MediaPacket }[] = [];
      for (const sequence of sequences) {
        const entry = repeatable(sequence, now, request);
        if (!entry) continue;
        entry.repeatedAtMs = now;
        budgetBytes -= entry.packet.payload.length;
        again.push({ sequence, packet: entry.packet });
      }
      return again;
    },
    gaveUp() {
      const was = givenUp;
      givenUp = false;
      return was;
    },
    get requested() {
      return requested;
    },
    setRoundTripMs(value) {
      roundTripMs = value;
    },
    setBitrate(bitsPerSecond) {
      bytesPerMs = (bitsPerSecond / 8 / 1000) * BUDGET_SHARE;
    },
  };
}
