import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedStreams, RtpStream, ViewerConnection } from "../../ports/transport.ts";
import { TWIN_GAP_MS } from "../rate/twins.ts";
import { createRepair } from "../rtcp/repair.ts";
import { writeSenderReport } from "../rtcp/write.ts";
import type { MediaPacket } from "../rtp/packet.ts";
import { writeRtp } from "../rtp/packet.ts";
import { rtpTimestamp, SOUND_CLOCK_HZ, VIDEO_CLOCK_HZ } from "../rtp/timestamps.ts";

/** The two streams of one connected viewer. */
export function createOutlet(clock: Clock, connection: ViewerConnection, streams: NegotiatedStreams) {
  const sent = createSentRate();
  const video = streams.video && createStreamWriter(streams.video, clock.now());
  const sound = streams.audio && createStreamWriter(streams.audio, clock.now());

  const sendVideo = (packets: readonly Buffer[]) => {
    sent.add(bytesOf(packets), clock.now());
    connection.sendVideo(packets);
  };
  const sendSound = (packets: readonly Buffer[]) => {
    sent.add(bytesOf(packets), clock.now());
    for (const packet of packets) connection.sendAudio(packet);
  };

  return {
    videoCodec: streams.videoCodec,
    videoSsrc: video?.ssrc ?? null,
    /** `twice`: once more a little later, for a link that loses packets. */
    picture(packets: readonly MediaPacket[], twice: boolean): void {
      if (!video) return;
      const first = video.next();
      sendVideo(video.write(packets, clock.now()));
      // Not counted as sent: the browser estimates by what it got once, and is compared with that.
      if (twice) clock.after(TWIN_GAP_MS, () => connection.sendVideo(video.again(packets, first, clock.now())));
    },
    sound(packet: MediaPacket): void {
      if (sound) sendSound(sound.write([packet], clock.now()));
    },
    /** Answers one NACK; a stream that is not ours gets nothing. True when only a key frame can mend the picture now. */
    repeat(ssrc: number, sequences: readonly number[]): boolean {
      if (ssrc === video?.ssrc) sendVideo(video.repeat(sequences, clock.now()));
      else if (ssrc === sound?.ssrc) sendSound(sound.repeat(sequences, clock.now()));
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
    losses: () => video?.losses() ?? { sent: 0, asked: 0 },
    sentBps: () => sent.bitsPerSecond(clock.now()),
    repeated: () => (video?.repeated ?? 0) + (sound?.repeated ?? 0),
  };
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
      return slices.reduce((sum, bytes) => sum + bytes, 0) * 8;
    },
  };
}

/** One stream to one viewer: its own sequence numbers over packets shared by all. */
function createStreamWriter(stream: RtpStream, nowMs: number) {
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
        const written = writeRtp(stream, packet, sequence, now);
        repair.sent(sequence, packet, now);
        sequence = (sequence + 1) & 0xffff;
        packets += 1;
        bytes += packet.payload.length;
        return written;
      });
    },
    /** Packets that were written from this number on, once more, with a fresh send time. */
    again(media: readonly MediaPacket[], first: number, now: number): Buffer[] {
      return media.map((packet, at) => writeRtp(stream, packet, (first + at) & 0xffff, now));
    },
    /** Number of the next packet. */
    next: () => sequence,
    /** Repeats for one NACK, with a fresh send time. */
    repeat(sequences: readonly number[], now: number): Buffer[] {
      const again = repair.asked(sequences, now);
      repeated += again.length;
      return again.map((entry) => writeRtp(stream, entry.packet, entry.sequence, now));
    },
    /** True once when something asked for will not be repeated any more. */
    gaveUp: () => repair.gaveUp(),
    report: (cname: string, now: number, rtpNow: number) =>
      writeSenderReport({ ssrc: stream.ssrc, packets, bytes }, cname, now, rtpNow),
    tune(roundTripMs: number | null, bitrate: number): void {
      if (roundTripMs !== null) repair.setRoundTripMs(roundTripMs);
      repair.setBitrate(bitrate);
    },
    /** Packets written since the beginning, and how many of them were ever asked for. */
    losses: () => ({ sent: packets, asked: repair.askedFor }),
    get repeated() {
      return repeated;
    },
  };
}
