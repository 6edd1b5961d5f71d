import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedStreams, RtpStream, ViewerConnection } from "../../ports/transport.ts";
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
import { PROTECTION_GAP_MS, TWINS_COST } from "./rate-control.ts";
import { createRepairs } from "./repairs.ts";

/** The two streams of one connected viewer. */
export function createOutlet(clock: Clock, connection: ViewerConnection, streams: NegotiatedStreams) {
  const sent = createSentRate();
  const sentVideo = createSentRate();
  const video = streams.video && createStreamWriter(streams.video, clock.now());
  const sound = streams.audio && createStreamWriter(streams.audio, clock.now());

  const departures = createDepartures(clock.now());

  const sendVideo = (packets: readonly Buffer[]) => {
    const now = clock.now();
    sent.add(bytesOf(packets), now);
    sentVideo.add(bytesOf(packets), now);
    if (streams.video) numberAll(packets, streams.video, departures, now);
    connection.sendVideo(packets);
  };
  const repairs = streams.video?.repair && createRepairs(clock, streams.video, streams.video.repair, sendVideo);
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
      sendVideo(written);
      if (!protect) return;
      if (repairs) repairs.protect(written);
      // With the same number and not counted as sent: the browser reports each packet once.
      else clock.after(PROTECTION_GAP_MS, () => connection.sendVideo(written));
    },
    sound(packet: MediaPacket): void {
      if (sound) sendSound(sound.write([packet], clock.now()));
    },
    /**
     * Answers one NACK; one for a stream that is not ours is ignored. True when only a key frame can repair the video now. `protect`: as for a frame;
     * a repeat that is lost too would cost two more round trips.
     */
    repeat(ssrc: number, sequences: readonly number[], protect: boolean): boolean {
      if (video && ssrc === video.ssrc) {
        const repeats = video.repeat(sequences, clock.now());
        sendVideo(repeats);
        if (protect && repeats.length > 0) clock.after(PROTECTION_GAP_MS, () => connection.sendVideo(repeats));
      } else if (ssrc === sound?.ssrc) sendSound(sound.repeat(sequences, clock.now()));
      return video?.gaveUp() ?? false;
    },
    /** One sender report a stream. */
    report(): void {
      const now = clock.now();
      if (video) connection.sendRtcp(video.report(streams.cname, now, rtpTimestamp(now, VIDEO_CLOCK_HZ)));
      if (sound) connection.sendRtcp(sound.report(streams.cname, now, rtpTimestamp(now, SOUND_CLOCK_HZ)));
    },
    tune(roundTripMs: number | null, bitrate: number): void {
      video?.tune(roundTripMs, bitrate);
      sound?.tune(roundTripMs, bitrate);
    },
    smooth: (smooth: boolean) => video?.smooth(smooth),
    /** How much more the link carries with protection than without, as a factor; and whether the browser counts all of it. */
    protection: () => (repairs ? { cost: repairs.cost(), counted: true } : { cost: TWINS_COST, counted: false }),
    arrived: departures.report,
    flow: () => departures.look(clock.now()),
    losses: () => video?.losses() ?? { sent: 0, requested: 0 },
    sentBps: () => sent.bitsPerSecond(clock.now()),
    videoBps: () => sentVideo.bitsPerSecond(clock.now()),
    repeated: () => (video?.repeated ?? 0) + (sound?.repeated ?? 0),
  };
}

function numberAll(
  packets: readonly Buffer[],
  stream: RtpStream,
  departures: ReturnType<typeof createDepartures>,
  nowMs: number,
): void {
  for (const packet of packets) setTransportSequence(packet, stream, departures.leave(packet.length, nowMs));
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
    repeat(sequences: readonly number[], now: number): Buffer[] {
      const again = repair.repeats(sequences, now);
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
  repeats(sequences: readonly number[], nowMs: number): { sequence: number; packet: MediaPacket }[];
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

  const repeatable = (sequence: number, now: number): Sent | undefined => {
    const entry = history[sequence % HISTORY_PACKETS];
    // A number that was never sent is no reason for a key frame.
    if (!entry || entry.sequence !== sequence) return undefined;
    if (!entry.requested) requested += 1;
    entry.requested = true;
    const gapMs = Math.max(REPEAT_GAP_MS_MIN, roundTripMs * REPEAT_SHARE);
    if (now - entry.repeatedAtMs < gapMs) return undefined;
    if (now - entry.sentAtMs <= TOO_OLD_MS && entry.packet.payload.length <= budgetBytes) return entry;
    givenUp = true;
    return undefined;
  };

  return {
    sent(sequence, packet, now) {
      const fresh = { sequence, packet, sentAtMs: now, repeatedAtMs: Number.NEGATIVE_INFINITY, requested: false };
      const entry = history[sequence % HISTORY_PACKETS];
      if (entry) Object.assign(entry, fresh);
      else history[sequence % HISTORY_PACKETS] = fresh;
    },
    repeats(sequences, now) {
      refill(now);
      const again: { sequence: number; packet: MediaPacket }[] = [];
      for (const sequence of sequences) {
        const entry = repeatable(sequence, now);
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
