import { crc32c } from "werift";

export type SctpHead = { readonly from: number; readonly to: number; readonly tag: number };

/** A right header and checksum before chunks that may be anything. */
export function sctpPacket(chunks: Buffer, { from, to, tag }: SctpHead): Buffer {
  const packet = Buffer.concat([Buffer.alloc(12), chunks]);
  packet.writeUInt16BE(from, 0);
  packet.writeUInt16BE(to, 2);
  packet.writeUInt32BE(tag, 4);
  packet.writeUInt32LE(crc32c(packet), 8);
  return packet;
}

/** A chunk of a packet; `length`: what it says of itself. */
export function sctpChunk(type: number, body: Buffer = Buffer.alloc(0), length = 4 + body.length): Buffer {
  return withLength(Buffer.from([type, 0, 0, 0]), body, length);
}

/** A parameter of a chunk; `length`: what it says of itself. */
export function sctpParameter(type: number, body: Buffer = Buffer.alloc(0), length = 4 + body.length): Buffer {
  return withLength(Buffer.from([type >> 8, type & 0xff, 0, 0]), body, length);
}

function withLength(head: Buffer, body: Buffer, length: number): Buffer {
  head.writeUInt16BE(length, 2);
  return Buffer.concat([head, body, Buffer.alloc(-body.length & 3)]);
}
