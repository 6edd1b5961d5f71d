import type { Arrivals } from "./arrivals.ts";
import { readArrivals } from "./arrivals.ts";
import { ntpTime } from "./rtp.ts";

/** One report block about one of our streams. */
export interface ReceiverReport {
  readonly ssrc: number;
  /** Packets lost since the beginning; falls when repeats arrive. */
  readonly lostTotal: number;
  /** The highest sequence number received, with its roll-overs, 32 bits. */
  readonly highestSequence: number;
  /** Middle of the NTP time of the last sender report the receiver had; 0 when none. */
  readonly lastSenderReport: number;
  /** Time from that report to this one, in 1/65536 s. */
  readonly delaySinceLast: number;
}

/** What the agent reads from a receiver; everything else in a packet is passed over. */
type RtcpMessage =
  | { readonly kind: "report"; readonly report: ReceiverReport }
  | { readonly kind: "nack"; readonly ssrc: number; readonly sequences: readonly number[] }
  | { readonly kind: "keyFrame"; readonly ssrc: number }
  | { readonly kind: "arrivals"; readonly arrivals: Arrivals };

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const TRANSPORT_FEEDBACK = 205;
const PAYLOAD_FEEDBACK = 206;

/** Maximum number of packets read from one NACK: a browser remembers a thousand missing ones, and then requests a key frame. */
const SEQUENCES_MAX = 1_024;

/**
 * The messages of one compound RTCP packet. The bytes are hostile: a length that does not fit ends the reading; messages
 * before it count. Never throws; at most one packet's worth (16 sequences a NACK word) comes out.
 */
export function readRtcp(packet: Uint8Array): RtcpMessage[] {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const messages: RtcpMessage[] = [];
  let at = 0;
  while (at + 4 <= view.byteLength) {
    const first = view.getUint8(at);
    const end = at + 4 + view.getUint16(at + 2) * 4;
    if (first >> 6 !== 2 || end > view.byteLength) break;
    readOne(new DataView(packet.buffer, packet.byteOffset + at, end - at), first & 0x1f, messages);
    at = end;
  }
  return messages;
}

function readOne(view: DataView, count: number, messages: RtcpMessage[]): void {
  const type = view.getUint8(1);
  if (type === RECEIVER_REPORT) readReports(view, 8, count, messages);
  else if (type === SENDER_REPORT) readReports(view, 28, count, messages);
  else if (type === TRANSPORT_FEEDBACK && count === 1) readNack(view, messages);
  else if (type === TRANSPORT_FEEDBACK && count === 15) {
    const arrivals = readArrivals(view);
    if (arrivals !== null) messages.push({ kind: "arrivals", arrivals });
  } else if (type === PAYLOAD_FEEDBACK) readPayloadFeedback(view, count, messages);
}

function readReports(view: DataView, from: number, count: number, messages: RtcpMessage[]): void {
  for (let block = 0; block < count; block += 1) {
    const at = from + block * 24;
    if (at + 24 > view.byteLength) return;
    const report = {
      ssrc: view.getUint32(at),
      // 24 bits with a sign; the byte above them is the share since the last report, which is noise over a few packets.
      lostTotal: (view.getUint32(at + 4) << 8) >> 8,
      highestSequence: view.getUint32(at + 8),
      lastSenderReport: view.getUint32(at + 16),
      delaySinceLast: view.getUint32(at + 20),
    };
    messages.push({ kind: "report", report });
  }
}

function readNack(view: DataView, messages: RtcpMessage[]): void {
  if (view.byteLength < 16) return;
  const sequences: number[] = [];
  for (let at = 12; at + 4 <= view.byteLength && sequences.length < SEQUENCES_MAX; at += 4) {
    const first = view.getUint16(at);
    const mask = view.getUint16(at + 2);
    sequences.push(first);
    for (let bit = 0; bit < 16; bit += 1) {
      if (mask & (1 << bit)) sequences.push((first + bit + 1) & 0xffff);
    }
  }
  messages.push({ kind: "nack", ssrc: view.getUint32(8), sequences });
}

function readPayloadFeedback(view: DataView, format: number, messages: RtcpMessage[]): void {
  if (format === 1 && view.byteLength >= 12) messages.push({ kind: "keyFrame", ssrc: view.getUint32(8) });
  // FIR names its stream in the entry, not in the header.
  else if (format === 4 && view.byteLength >= 20) messages.push({ kind: "keyFrame", ssrc: view.getUint32(12) });
}

/** Totals of one stream for a sender report. */
interface SenderTotals {
  readonly ssrc: number;
  readonly packets: number;
  /** Payload bytes. */
  readonly bytes: number;
}

/**
 * A compound packet: sender report and SDES. `rtpTimestamp` is the RTP time of `nowMs`, so that the receiver can line up
 * sound and video.
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
