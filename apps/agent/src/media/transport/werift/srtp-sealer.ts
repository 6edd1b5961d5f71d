import { createCipheriv, hash } from "node:crypto";
import { rtpHeaderBytes } from "../../rtp/rtp.ts";

/** The keys of one direction of one connection, as RFC 3711 derives them from those of the handshake. */
export interface SrtpKeys {
  /** AES-128. */
  readonly key: Uint8Array;
  /** 14 bytes. */
  readonly salt: Uint8Array;
  /** For HMAC-SHA1. */
  readonly authentication: Uint8Array;
}

const CIPHER_BLOCK = 16;
const HASH_BLOCK = 64;
const HASH_BYTES = 20;
/** Bytes of the tag behind each packet, in the profile SRTP_AES128_CM_HMAC_SHA1_80. */
const TAG_BYTES = 10;

/**
 * Encrypts and signs complete RTP packets, many at once: answers them sealed, in their order.
 *
 * The key stream of all packets is made by one call of one cipher that is never recreated, and each tag
 * by two plain hashes. A cipher and an HMAC of OpenSSL for each packet, as libraries make them, cost several times as much.
 */
export function createSrtpSealer({
  key,
  salt,
  authentication,
}: SrtpKeys): (packets: readonly Uint8Array[]) => Buffer[] {
  const cipher = createCipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  const innerKey = hashBlock(authentication, 0x36);
  // The second hash of HMAC is over its key and the first hash.
  const outer = Buffer.concat([hashBlock(authentication, 0x5c), Buffer.alloc(HASH_BYTES)]);
  const counters = createCounters(salt);
  const rollOvers = createRollOvers();

  return (packets) => {
    const parts = packets.map((packet) => {
      const headerBytes = rtpHeaderBytes(packet);
      const sequence = ((packet[2] ?? 0) << 8) | (packet[3] ?? 0);
      const ssrc = readUInt32(packet, 8);
      return { packet, headerBytes, sequence, ssrc, rollOver: rollOvers.of(ssrc, sequence) };
    });
    counters.begin(parts.reduce((sum, { packet, headerBytes }) => sum + blocksOf(packet.length - headerBytes), 0));
    for (const part of parts) counters.add(part, blocksOf(part.packet.length - part.headerBytes));
    const mask = asWords(cipher.update(counters.bytes()));
    const slab = Buffer.allocUnsafeSlow(packets.reduce((sum, packet) => sum + roomOf(packet), 0));
    const slabWords = asWords(slab);
    let maskAt = 0;
    let roomAt = 0;
    return parts.map(({ packet, headerBytes, rollOver }) => {
      const from = roomAt + HASH_BLOCK;
      const end = from + packet.length;
      slab.set(innerKey, roomAt);
      slab.set(packet, from);
      mix(slabWords, (from + headerBytes) >> 2, mask, maskAt, (packet.length - headerBytes + 3) >> 2);
      // Behind the packet the first hash wants its roll-over count; it also covers what mixing wrote beyond the end.
      slab.writeUInt32BE(rollOver, end);
      hash("sha1", slab.subarray(roomAt, end + 4), "buffer").copy(outer, HASH_BLOCK);
      hash("sha1", outer, "buffer").copy(slab, end, 0, TAG_BYTES);
      maskAt += blocksOf(packet.length - headerBytes) * (CIPHER_BLOCK / 4);
      roomAt += roomOf(packet);
      return slab.subarray(from, end + TAG_BYTES);
    });
  };
}

const blocksOf = (payloadBytes: number): number => Math.ceil(payloadBytes / CIPHER_BLOCK);
/** Key of the hash, packet and tag, so that each packet begins at a whole word. */
const roomOf = (packet: Uint8Array): number => HASH_BLOCK + 4 * Math.ceil((packet.length + TAG_BYTES) / 4);

function hashBlock(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(HASH_BLOCK, pad);
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad;
  return block;
}

/** The same memory as 32 bit numbers; a copy of it where it does not begin at one. */
function asWords(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Uint32Array(buffer, byteOffset, byteLength >> 2);
}

function mix(to: Uint32Array, toAt: number, mask: Uint32Array, maskAt: number, count: number): void {
  for (let n = 0; n < count; n += 1) to[toAt + n] = (to[toAt + n] as number) ^ (mask[maskAt + n] as number);
}

const readUInt32 = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)) >>>
  0;

/**
 * The counter blocks of AES-CM (RFC 3711, section 4.1.1) for several packets behind one another. Each is the packet's first one but for its last two
 * bytes, so they are copied in growing runs.
 */
function createCounters(salt: Uint8Array) {
  let all = new Uint8Array(0);
  let at = 0;
  return {
    begin(blocks: number): void {
      at = 0;
      if (blocks * CIPHER_BLOCK > all.length) all = new Uint8Array(blocks * CIPHER_BLOCK);
    },
    add({ ssrc, rollOver, sequence }: { ssrc: number; rollOver: number; sequence: number }, blocks: number): void {
      if (blocks === 0) return;
      const bytes = blocks * CIPHER_BLOCK;
      const first = all.subarray(at, at + bytes);
      first.set(salt);
      for (let byte = 0; byte < 4; byte += 1) {
        first[4 + byte] = (first[4 + byte] as number) ^ ((ssrc >> (24 - 8 * byte)) & 0xff);
        first[8 + byte] = (first[8 + byte] as number) ^ ((rollOver >> (24 - 8 * byte)) & 0xff);
      }
      first[12] = (first[12] as number) ^ (sequence >> 8);
      first[13] = (first[13] as number) ^ (sequence & 0xff);
      for (let done = CIPHER_BLOCK; done < bytes; done *= 2) first.copyWithin(done, 0, Math.min(done, bytes - done));
      for (let block = 0; block < blocks; block += 1) {
        first[block * CIPHER_BLOCK + 14] = block >> 8;
        first[block * CIPHER_BLOCK + 15] = block & 0xff;
      }
      at += bytes;
    },
    bytes: () => all.subarray(0, at),
  };
}

/** The roll-over count of each stream's 16 bit number (RFC 3711, section 3.3.1); a repeat may be from before the last roll-over. */
function createRollOvers() {
  const streams = new Map<number, { count: number; highest: number }>();
  return {
    of(ssrc: number, sequence: number): number {
      const stream = streams.get(ssrc);
      if (stream === undefined) {
        streams.set(ssrc, { count: 0, highest: sequence });
        return 0;
      }
      const ahead = sequence - stream.highest;
      if (ahead > 0x8000) return Math.max(0, stream.count - 1);
      if (ahead < -0x8000) {
        stream.count += 1;
        stream.highest = sequence;
      } else if (ahead > 0) stream.highest = sequence;
      return stream.count;
    },
  };
}
