/** What is read of one RTP packet. `payload` is a view into it. */
export type RtpPacket = {
  readonly payloadType: number;
  readonly marker: boolean;
  /** 16 bits. */
  readonly sequence: number;
  /** 32 bits of the stream's clock. */
  readonly timestamp: number;
  readonly ssrc: number;
  /** Its number among all packets of the connection, 16 bits; absent where the sender gives none. */
  readonly transportSequence?: number;
  readonly payload: Buffer;
};

const ONE_BYTE_PROFILE = 0xbede;

/** Reads a decrypted RTP packet; undefined for what is none. `sequenceId`: the id of the transport sequence number among the header extensions. */
export function readRtp(packet: Buffer, sequenceId: number): RtpPacket | undefined {
  if (packet.length < 12 || (packet[0] ?? 0) >> 6 !== 2) return undefined;
  const first = packet.readUInt8(0);
  const second = packet.readUInt8(1);
  let from = 12 + 4 * (first & 0x0f);
  let transportSequence: number | undefined;
  if ((first & 0x10) !== 0) {
    if (from + 4 > packet.length) return undefined;
    const end = from + 4 + 4 * packet.readUInt16BE(from + 2);
    if (end > packet.length) return undefined;
    if (packet.readUInt16BE(from) === ONE_BYTE_PROFILE)
      transportSequence = findSequence(packet, from + 4, end, sequenceId);
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
    ...(transportSequence !== undefined && { transportSequence }),
    payload: packet.subarray(from, packet.length - padding),
  };
}

function findSequence(packet: Buffer, from: number, end: number, id: number): number | undefined {
  let at = from;
  while (at < end) {
    const head = packet.readUInt8(at);
    const bytes = (head & 0x0f) + 1;
    if (head >> 4 === id && bytes === 2 && at + 3 <= end) return packet.readUInt16BE(at + 1);
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

/** Arrivals are counted in quarters of a ms, from a time in units of 64 ms. */
const TICKS_PER_MS = 4;
const REFERENCE_TICKS = 64 * TICKS_PER_MS;
/** Symbols of two bits in one word. */
const SYMBOLS = 7;
const STEP_OF_TWO_BYTES = 2;

/**
 * Reports the packets from number `first` on: when each arrived, ms of any clock, or undefined for one that did not
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01). `count`: of the reports before this one.
 */
export function writeArrivals(
  ssrc: number,
  first: number,
  arrivedAtMs: readonly (number | undefined)[],
  count: number,
): Buffer {
  const came = arrivedAtMs.filter((atMs) => atMs !== undefined);
  const stepsAt = 20 + 2 * Math.ceil(arrivedAtMs.length / SYMBOLS);
  const out = head(0x8f, 205, Math.ceil((stepsAt + 2 * came.length) / 4) * 4);
  const reference = Math.floor((Math.min(...came) * TICKS_PER_MS) / REFERENCE_TICKS);
  out.writeUInt32BE(ssrc, 8);
  out.writeUInt16BE(first, 12);
  out.writeUInt16BE(arrivedAtMs.length, 14);
  out.writeIntBE((reference << 8) >> 8, 16, 3);
  out.writeUInt8(count & 0xff, 19);
  let ticks = reference * REFERENCE_TICKS;
  let at = stepsAt;
  for (const [index, atMs] of arrivedAtMs.entries()) {
    const wordAt = 20 + 2 * Math.floor(index / SYMBOLS);
    const symbol = atMs === undefined ? 0 : STEP_OF_TWO_BYTES << (12 - 2 * (index % SYMBOLS));
    out.writeUInt16BE(out.readUInt16BE(wordAt) | 0xc000 | symbol, wordAt);
    if (atMs === undefined) continue;
    const step = Math.max(-0x8000, Math.min(0x7fff, Math.round(atMs * TICKS_PER_MS) - ticks));
    out.writeInt16BE(step, at);
    ticks += step;
    at += 2;
  }
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
