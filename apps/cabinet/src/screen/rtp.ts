import { VIDEO_CLOCK_HZ } from "./encoder.ts";

const PAYLOAD_BYTES_MAX = 1_400;
const PAYLOAD_TYPE = 96;
const FRAGMENT = 28;

/** The NAL units of an Annex B access unit, without start codes. */
export function nalUnits(unit: Buffer): Buffer[] {
  const starts: { at: number; from: number }[] = [];
  for (let at = 0; at + 3 <= unit.length; at += 1) {
    if (unit[at] !== 0 || unit[at + 1] !== 0 || unit[at + 2] !== 1) continue;
    starts.push({ at: at > 0 && unit[at - 1] === 0 ? at - 1 : at, from: at + 3 });
    at += 2;
  }
  return starts
    .map(({ from }, n) => unit.subarray(from, starts[n + 1]?.at ?? unit.length))
    .filter(({ length }) => length > 0);
}

/** Payloads in packetization mode 1 (RFC 6184): whole units, and large ones in fragments. */
export function payloadsOf(unit: Buffer): Buffer[] {
  return nalUnits(unit).flatMap((nal) => {
    if (nal.length <= PAYLOAD_BYTES_MAX) return [nal];
    const head = nal[0] ?? 0;
    const pieces: Buffer[] = [];
    for (let at = 1; at < nal.length; at += PAYLOAD_BYTES_MAX - 2) {
      const piece = nal.subarray(at, at + PAYLOAD_BYTES_MAX - 2);
      const first = at === 1 ? 0x80 : 0;
      const last = at + piece.length === nal.length ? 0x40 : 0;
      pieces.push(Buffer.concat([Buffer.from([(head & 0xe0) | FRAGMENT, first | last | (head & 0x1f)]), piece]));
    }
    return pieces;
  });
}

const SENDER_REPORT = 200;
/** Seconds from 1900, where NTP's time begins, to 1970. */
const NTP_EPOCH_S = 2_208_988_800;
/** RTP packets of one viewer, with its own sequence numbers. */
export function createPacketizer(ssrc: number) {
  let sequence = 0;
  let packets = 0;
  let bytes = 0;

  return {
    packets(unit: Buffer, atMs: number): Buffer[] {
      const payloads = payloadsOf(unit);
      return payloads.map((payload, n) => {
        const head = Buffer.alloc(12);
        head[0] = 0x80;
        head[1] = PAYLOAD_TYPE | (n === payloads.length - 1 ? 0x80 : 0);
        head.writeUInt16BE(sequence, 2);
        head.writeUInt32BE(rtpTime(atMs), 4);
        head.writeUInt32BE(ssrc, 8);
        sequence = (sequence + 1) & 0xffff;
        packets += 1;
        bytes += payload.length;
        return Buffer.concat([head, payload]);
      });
    },
    /** A sender report (RFC 3550): which wall clock time, ms since 1970, RTP's own count has. */
    report(atMs: number): Buffer {
      const report = Buffer.alloc(28);
      report[0] = 0x80;
      report[1] = SENDER_REPORT;
      report.writeUInt16BE(report.length / 4 - 1, 2);
      report.writeUInt32BE(ssrc, 4);
      report.writeUInt32BE(Math.floor(atMs / 1_000) + NTP_EPOCH_S, 8);
      report.writeUInt32BE(Math.floor(((atMs % 1_000) / 1_000) * 2 ** 32), 12);
      report.writeUInt32BE(rtpTime(atMs), 16);
      report.writeUInt32BE(packets % 2 ** 32, 20);
      report.writeUInt32BE(bytes % 2 ** 32, 24);
      return report;
    },
  };
}

const rtpTime = (atMs: number): number => Math.round((atMs * VIDEO_CLOCK_HZ) / 1_000) % 2 ** 32;
