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
