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
export type RtcpMessage =
  | { readonly kind: "report"; readonly report: ReceiverReport }
  | { readonly kind: "nack"; readonly ssrc: number; readonly sequences: readonly number[] }
  | { readonly kind: "keyFrame"; readonly ssrc: number }
  | { readonly kind: "remb"; readonly bitsPerSecond: number };

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const TRANSPORT_FEEDBACK = 205;
const PAYLOAD_FEEDBACK = 206;
const REMB_NAME = 0x52454d42;

/** Packets that one NACK names, beyond which it is not read: a browser keeps a thousand that it misses, and asks for a key frame then. */
const SEQUENCES_MAX = 1_024;

/**
 * The messages of one compound RTCP packet. The bytes are hostile: a length that does not fit ends the reading and what
 * came before stands. Never throws; at most one packet's worth (16 sequences a NACK word) comes out.
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
  else if (type === PAYLOAD_FEEDBACK) readPayloadFeedback(view, count, messages);
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
  else if (format === 15 && view.byteLength >= 20 && view.getUint32(12) === REMB_NAME) {
    const exponent = view.getUint8(17) >> 2;
    const mantissa = ((view.getUint8(17) & 3) << 16) | view.getUint16(18);
    const bitsPerSecond = mantissa * 2 ** exponent;
    messages.push({ kind: "remb", bitsPerSecond });
  }
}
