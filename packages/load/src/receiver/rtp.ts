/** What is read of one RTP packet. `payload` is a view into it. */
export type RtpPacket = {
  readonly payloadType: number;
  readonly marker: boolean;
  /** 16 bits. */
  readonly sequence: number;
  /** 32 bits of the stream's clock. */
  readonly timestamp: number;
  readonly ssrc: number;
  /** When it was sent, in 1/2^18 s, 24 bits (abs-send-time); absent where the sender does not say. */
  readonly sentAt?: number;
  readonly payload: Buffer;
};

const ONE_BYTE_PROFILE = 0xbede;

/** Reads a decrypted RTP packet; undefined for what is none. `sentAtId`: the id of abs-send-time among the header extensions. */
export function readRtp(packet: Buffer, sentAtId: number): RtpPacket | undefined {
  if (packet.length < 12 || (packet[0] ?? 0) >> 6 !== 2) return undefined;
  const first = packet.readUInt8(0);
  const second = packet.readUInt8(1);
  let from = 12 + 4 * (first & 0x0f);
  let sentAt: number | undefined;
  if ((first & 0x10) !== 0) {
    if (from + 4 > packet.length) return undefined;
    const end = from + 4 + 4 * packet.readUInt16BE(from + 2);
    if (end > packet.length) return undefined;
    if (packet.readUInt16BE(from) === ONE_BYTE_PROFILE) sentAt = findSentAt(packet, from + 4, end, sentAtId);
    from = end;
  }
  const padding = (first & 0x20) === 0 ? 0 : (packet.at(-1) ?? 0);
  if (from + padding > packet.length) return undefined;
  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    ssrc: packet.readUInt32BE(8),
    ...(sentAt !== undefined && { sentAt }),
    payload: packet.subarray(from, packet.length - padding),
  };
}

function findSentAt(packet: Buffer, from: number, end: number, id: number): number | undefined {
  let at = from;
  while (at < end) {
    const head = packet.readUInt8(at);
    const bytes = (head & 0x0f) + 1;
    if (head >> 4 === id && bytes === 3 && at + 4 <= end) return packet.readUIntBE(at + 1, 3);
    at += head === 0 ? 1 : 1 + bytes;
  }
  return undefined;
}

/** Whether a datagram of the bundle is SRTP or SRTCP, by its first two bytes (RFC 7983, RFC 5761). */
export function mediaKind(data: Buffer): "rtp" | "rtcp" | undefined {
  const first = data[0] ?? 0;
  if (data.length < 12 || first < 128 || first > 191) return undefined;
  const second = data[1] ?? 0;
  return second >= 192 && second <= 223 ? "rtcp" : "rtp";
}

/** One block of a receiver report (RFC 3550). */
export type ReportBlock = {
  readonly ssrc: number;
  /** Share of the packets since the last report that did not come, 0 to 1. */
  readonly lostShare: number;
  readonly lostTotal: number;
  /** The highest number, with its roll-overs. */
  readonly highest: number;
  /** Of the stream's clock. */
  readonly jitter: number;
  /** Middle of the NTP time of the last sender report; 0: none came. */
  readonly lastSenderReport: number;
  /** Since that one, 1/65536 s. */
  readonly delaySinceLast: number;
};

/** In reports a receiver that sends nothing is number 1, as in browsers. */
const OURS = 1;
const NACK_WORDS_MAX = 60;

export function writeReceiverReport(blocks: readonly ReportBlock[]): Buffer {
  const out = head(0x80 | blocks.length, 201, 8 + 24 * blocks.length);
  blocks.forEach((block, index) => {
    const at = 8 + 24 * index;
    out.writeUInt32BE(block.ssrc, at);
    out.writeUInt8(Math.max(0, Math.min(255, Math.round(block.lostShare * 256))), at + 4);
    out.writeIntBE(Math.max(-0x800000, Math.min(0x7fffff, block.lostTotal)), at + 5, 3);
    out.writeUInt32BE(block.highest % 2 ** 32, at + 8);
    out.writeUInt32BE(Math.round(block.jitter) % 2 ** 32, at + 12);
    out.writeUInt32BE(block.lastSenderReport, at + 16);
    out.writeUInt32BE(block.delaySinceLast, at + 20);
  });
  return out;
}

/** Asks for packets again (RFC 4585). `sequences`: 16 bits each, in order. */
export function writeNack(ssrc: number, sequences: readonly number[]): Buffer {
  const words: { first: number; mask: number }[] = [];
  for (const sequence of sequences) {
    const last = words.at(-1);
    const behind = last === undefined ? 0 : (sequence - last.first) & 0xffff;
    if (last !== undefined && behind >= 1 && behind <= 16) last.mask |= 1 << (behind - 1);
    else if (words.length < NACK_WORDS_MAX) words.push({ first: sequence, mask: 0 });
  }
  const out = head(0x81, 205, 12 + 4 * words.length);
  out.writeUInt32BE(ssrc, 8);
  words.forEach(({ first, mask }, index) => {
    out.writeUInt16BE(first, 12 + 4 * index);
    out.writeUInt16BE(mask & 0xffff, 14 + 4 * index);
  });
  return out;
}

/** Asks for a picture that needs none before it (RFC 4585). */
export function writePli(ssrc: number): Buffer {
  const out = head(0x81, 206, 12);
  out.writeUInt32BE(ssrc, 8);
  return out;
}

/** What the link is believed to carry, bit/s. */
export function writeRemb(ssrc: number, bitsPerSecond: number): Buffer {
  const out = head(0x8f, 206, 24);
  out.writeUInt32BE(0, 8);
  out.write("REMB", 12, "latin1");
  let [mantissa, exponent] = [Math.max(0, Math.floor(bitsPerSecond)), 0];
  while (mantissa > 0x3ffff) {
    mantissa = Math.floor(mantissa / 2);
    exponent += 1;
  }
  out.writeUInt8(1, 16);
  out.writeUInt8((exponent << 2) | (mantissa >> 16), 17);
  out.writeUInt16BE(mantissa & 0xffff, 18);
  out.writeUInt32BE(ssrc, 20);
  return out;
}

function head(first: number, type: number, bytes: number): Buffer {
  const out = Buffer.alloc(bytes);
  out.writeUInt8(first, 0);
  out.writeUInt8(type, 1);
  out.writeUInt16BE(bytes / 4 - 1, 2);
  out.writeUInt32BE(OURS, 4);
  return out;
}

/** The streams whose sender reports stand in a compound packet, each with the middle of its NTP time. */
export function readSenderReports(packet: Buffer): { ssrc: number; ntpMiddle: number }[] {
  const found: { ssrc: number; ntpMiddle: number }[] = [];
  let at = 0;
  while (at + 4 <= packet.length) {
    const end = at + 4 + 4 * packet.readUInt16BE(at + 2);
    if (end > packet.length) break;
    if (packet[at + 1] === 200 && end - at >= 28)
      found.push({ ssrc: packet.readUInt32BE(at + 4), ntpMiddle: packet.readUInt32BE(at + 10) });
    at = end;
  }
  return found;
}
