import { RTP_PAYLOAD_BYTES_MAX } from "./packet.ts";

/** X (extended) and I (picture id), then the 15 bit form of the id: four bytes before each piece (RFC 7741). */
const DESCRIPTOR_BYTES = 4;

/** RTP payloads of one VP8 picture; `pictureId` grows by one a picture and wraps at 2^15. */
export function packetizeVp8(unit: Uint8Array, pictureId: number, maxBytes = RTP_PAYLOAD_BYTES_MAX): Uint8Array[] {
  const count = Math.max(1, Math.ceil(unit.length / (maxBytes - DESCRIPTOR_BYTES)));
  const size = Math.ceil(unit.length / count);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < unit.length; at += size) {
    const part = unit.subarray(at, at + size);
    const out = Buffer.alloc(DESCRIPTOR_BYTES + part.length);
    out[0] = at === 0 ? 0x90 : 0x80;
    out[1] = 0x80;
    out.writeUInt16BE(0x8000 | (pictureId & 0x7fff), 2);
    out.set(part, DESCRIPTOR_BYTES);
    pieces.push(out);
  }
  return pieces;
}
