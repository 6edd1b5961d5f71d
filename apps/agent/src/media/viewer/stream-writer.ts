import type { RtpStream } from "../../ports/transport.ts";
import { createRepair } from "../rtcp/repair.ts";
import { writeSenderReport } from "../rtcp/write.ts";
import type { MediaPacket } from "../rtp/packet.ts";
import { writeRtp } from "../rtp/packet.ts";

/** One stream to one viewer: its own sequence numbers over packets shared by all. */
export function createStreamWriter(stream: RtpStream, nowMs: number) {
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

export type StreamWriter = ReturnType<typeof createStreamWriter>;
