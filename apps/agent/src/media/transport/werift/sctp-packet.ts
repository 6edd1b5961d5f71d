import { crc32c } from "werift";

/* Parses a browser's SCTP packets (RFC 9260, 3758, 6525) before the library reads them. Pure: independent of any association. */

export const SCTP = {
  data: 0,
  init: 1,
  initAck: 2,
  sack: 3,
  heartbeat: 4,
  heartbeatAck: 5,
  abort: 6,
  shutdown: 7,
  shutdownAck: 8,
  error: 9,
  cookieEcho: 10,
  cookieAck: 11,
  shutdownComplete: 14,
  reconfig: 130,
  forwardTsn: 192,
} as const;

export interface SctpChunk {
  readonly type: number;
  /** Without the chunk's header of four bytes. */
  readonly body: Buffer;
}

const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 4;
/** A browser's packets fit one datagram of DTLS, which has 1,200 bytes and a few. */
const PACKET_BYTES_MAX = 2_048;
/** The cookie of the library: four bytes of time and their signature. A browser gives it back unchanged. */
const COOKIE_BYTES = 24;
const PARAMETERS_MAX = 32;
/** Streams in one FORWARD-TSN chunk, and in one request to reset streams. */
const STREAMS_NAMED_MAX = 64;

/** What a chunk of each known type must be, as a rule about its body. */
const RULES: ReadonlyMap<number, (body: Buffer) => boolean> = new Map([
  // A DATA chunk has at least one byte of payload (RFC 9260, 3.3.1).
  [SCTP.data, (body) => body.length > 12],
  [SCTP.init, isBeginning],
  [SCTP.initAck, isBeginning],
  [SCTP.sack, (body) => body.length >= 12 && body.length === 12 + 4 * (body.readUInt16BE(8) + body.readUInt16BE(10))],
  [SCTP.heartbeat, (body) => countParameters(body) === 1],
  [SCTP.heartbeatAck, (body) => countParameters(body) === 1],
  [SCTP.abort, (body) => countParameters(body) !== undefined],
  [SCTP.shutdown, (body) => body.length === 4],
  [SCTP.shutdownAck, (body) => body.length === 0],
  [SCTP.error, (body) => (countParameters(body) ?? 0) > 0],
  [SCTP.cookieEcho, (body) => body.length === COOKIE_BYTES],
  [SCTP.cookieAck, (body) => body.length === 0],
  [SCTP.shutdownComplete, (body) => body.length === 0],
  [SCTP.reconfig, isReconfiguration],
  [SCTP.forwardTsn, (body) => body.length >= 4 && body.length % 4 === 0 && body.length <= 4 + 4 * STREAMS_NAMED_MAX],
]);

/**
 * The chunks of a packet, or undefined when any part of it is malformed: header, tag, checksum, and of each chunk its type, its length
 * and those of its parameters. `tag`: our own, which every packet carries but the one that begins an association.
 */
export function readSctpPacket(packet: Buffer, port: number, tag: number): readonly SctpChunk[] | undefined {
  if (packet.length < HEADER_BYTES + CHUNK_HEADER_BYTES || packet.length > PACKET_BYTES_MAX) return undefined;
  const begins = packet[HEADER_BYTES] === SCTP.init;
  if (packet.readUInt16BE(2) !== port || packet.readUInt32BE(4) !== (begins ? 0 : tag)) return undefined;
  if (packet.readUInt32LE(8) !== checksum(packet)) return undefined;
  const chunks = splitChunks(packet);
  // INIT must be the only chunk, so that no other arrives without a tag.
  if (chunks !== undefined && chunks.length > 1 && chunks.some(({ type }) => type === SCTP.init)) return undefined;
  return chunks;
}

function checksum(packet: Buffer): number {
  const zeroed = Buffer.from(packet);
  zeroed.writeUInt32LE(0, 8);
  return crc32c(zeroed);
}

function splitChunks(packet: Buffer): SctpChunk[] | undefined {
  const chunks: SctpChunk[] = [];
  let at = HEADER_BYTES;
  while (at < packet.length) {
    const length = lengthAt(packet, at);
    if (length === undefined) return undefined;
    const type = packet[at] as number;
    const body = packet.subarray(at + CHUNK_HEADER_BYTES, at + length);
    if (RULES.get(type)?.(body) !== true) return undefined;
    chunks.push({ type, body });
    at += padded(length);
  }
  return chunks;
}

/** Of a chunk, a parameter or a cause of an error, which begin alike; undefined when it is too short or goes beyond the end. */
function lengthAt(bytes: Buffer, at: number): number | undefined {
  if (at + 4 > bytes.length) return undefined;
  const length = bytes.readUInt16BE(at + 2);
  return length < 4 || at + length > bytes.length ? undefined : length;
}

/** The last of several may leave its padding out. */
const padded = (length: number): number => (length + 3) & ~3;

/** Undefined: they are not as they must be. */
function countParameters(bytes: Buffer, isRight: (type: number, length: number) => boolean = () => true) {
  let at = 0;
  let count = 0;
  while (at < bytes.length) {
    const length = lengthAt(bytes, at);
    if (length === undefined || !isRight(bytes.readUInt16BE(at), length)) return undefined;
    count += 1;
    if (count > PARAMETERS_MAX) return undefined;
    at += padded(length);
  }
  return count;
}

function isBeginning(body: Buffer): boolean {
  if (body.length < 16 || countParameters(body.subarray(16)) === undefined) return false;
  const [tag, streamsOut, streamsIn] = [body.readUInt32BE(0), body.readUInt16BE(8), body.readUInt16BE(10)];
  return tag !== 0 && streamsOut !== 0 && streamsIn !== 0;
}

const [STREAMS_BEGIN_ANEW, ANSWER] = [13, 16];

/** A reset of streams whose channels the browser has closed, or its answer to such a request of ours. */
function isReconfiguration(body: Buffer): boolean {
  const count = countParameters(body, (type, length) => {
    if (type === STREAMS_BEGIN_ANEW) return length >= 16 && length % 2 === 0 && length <= 16 + 2 * STREAMS_NAMED_MAX;
    return type === ANSWER && (length === 12 || length === 20);
  });
  return count === 1 || count === 2;
}
