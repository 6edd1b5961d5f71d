import { ntpTime } from "../rtp/timestamps.ts";

/** Totals of one stream, as a sender report tells them. */
export interface SenderTotals {
  readonly ssrc: number;
  readonly packets: number;
  /** Payload bytes. */
  readonly bytes: number;
}

/**
 * A compound packet: sender report and SDES. `rtpTimestamp` is the RTP time of `nowMs`, so that the receiver can line up
 * sound and picture.
 */
export function writeSenderReport(totals: SenderTotals, cname: string, nowMs: number, rtpTimestamp: number): Buffer {
  const name = Buffer.from(cname, "utf8").subarray(0, 255);
  const itemBytes = 2 + name.length + 1;
  const chunkBytes = Math.ceil((4 + itemBytes) / 4) * 4;
  const out = Buffer.alloc(28 + 4 + chunkBytes);
  const ntp = ntpTime(nowMs);
  out.writeUInt8(0x80, 0);
  out.writeUInt8(200, 1);
  out.writeUInt16BE(6, 2);
  out.writeUInt32BE(totals.ssrc, 4);
  out.writeUInt32BE(ntp.seconds, 8);
  out.writeUInt32BE(ntp.fraction, 12);
  out.writeUInt32BE(rtpTimestamp, 16);
  out.writeUInt32BE(totals.packets % 2 ** 32, 20);
  out.writeUInt32BE(totals.bytes % 2 ** 32, 24);
  out.writeUInt8(0x81, 28);
  out.writeUInt8(202, 29);
  out.writeUInt16BE(chunkBytes / 4, 30);
  out.writeUInt32BE(totals.ssrc, 32);
  out.writeUInt8(1, 36);
  out.writeUInt8(name.length, 37);
  out.set(name, 38);
  return out;
}
