import type { RepairStream, RtpStream } from "../../ports/transport.ts";
import { FIXED_HEADER_BYTES, TRANSPORT_SEQUENCE_BYTES, transportSequenceAt, writeRtp } from "./rtp.ts";

/*
 * FlexFEC as browsers know it (`flexfec-03`, draft-ietf-payload-flexible-fec-scheme-03): a repair packet is the XOR of some media packets, and a
 * receiver that lacks exactly one of them computes it, without waiting for a round trip.
 */

/** Packets of one frame that are protected together; larger frames are divided. */
const GROUP_PACKETS_MAX = 11;

/**
 * Which of a frame's `count` packets each of its repair packets is the XOR of. Every packet is in two repair packets or more, and no two packets
 * are in the same ones: so any two losses among media and repair packets of a group are repaired, one after the other.
 */
export function repairPlan(count: number): readonly (readonly number[])[] {
  const groups = Math.ceil(count / GROUP_PACKETS_MAX);
  const size = Math.ceil(count / groups);
  const plan: (readonly number[])[] = [];
  for (let first = 0; first < count; first += size) {
    const group = GROUP_PLANS[Math.min(size, count - first)] ?? [];
    plan.push(...group.map((members) => members.map((at) => first + at)));
  }
  return plan;
}

const GROUP_PLANS = Array.from({ length: GROUP_PACKETS_MAX + 1 }, (_, count) => groupPlan(count));

function groupPlan(count: number): number[][] {
  let repairs = 2;
  while (2 ** repairs - 1 - repairs < count) repairs += 1;
  const weight = (pattern: number) => pattern.toString(2).replaceAll("0", "").length;
  const patterns = Array.from({ length: 2 ** repairs }, (_, pattern) => pattern)
    .filter((pattern) => weight(pattern) >= 2)
    .sort((a, b) => weight(a) - weight(b) || a - b)
    .slice(0, count);
  const plan = Array.from({ length: repairs }, (_, bit) =>
    patterns.flatMap((pattern, at) => ((pattern >> bit) & 1 ? [at] : [])),
  );
  return plan.filter((members) => members.length > 0);
}

/** Flags and recovery fields, number of SSRCs, the one SSRC, first sequence number, and the shortest form of the mask. */
const REPAIR_HEADER_BYTES = 20;
/** Packets that the mask reaches, from the first one on; a group has no more. */
const MASK_PACKETS = 15;

/**
 * One repair packet for `media`: complete packets of the stream, in the order of their sequence numbers. Their transport sequence numbers count as
 * zero, because a receiver cannot know that of a lost packet.
 */
export function writeRepair(
  stream: RtpStream,
  media: readonly Buffer[],
  { ssrc, payloadType }: RepairStream,
  sequence: number,
): Buffer {
  const [first] = media;
  if (first === undefined) throw new Error("A repair packet of nothing.");
  const { transportSequenceId } = stream;
  const longest = Math.max(...media.map((packet) => packet.length)) - FIXED_HEADER_BYTES;
  const body = Buffer.alloc(REPAIR_HEADER_BYTES + longest);
  const base = first.readUInt16BE(2);
  for (const packet of media) mixIn(body, packet, transportSequenceAt(stream));
  body[0] = (body[0] ?? 0) & 0x3f;
  body[8] = 1;
  body.writeUInt32BE(stream.ssrc, 12);
  body.writeUInt16BE(base, 16);
  body.writeUInt16BE(maskOf(media.map((packet) => (packet.readUInt16BE(2) - base) & 0xffff)), 18);
  const timestamp = first.readUInt32BE(4);
  const header = { payloadType, ssrc, playoutDelayId: null, transportSequenceId };
  return writeRtp(header, { payload: body, timestamp, marker: false }, sequence);
}

/** Adds one packet: two bytes of its header, its length without the fixed header, its timestamp, and what follows the fixed header. */
function mixIn(body: Buffer, packet: Buffer, sequenceAt: number | null): void {
  const bytes = packet.length - FIXED_HEADER_BYTES;
  const fields = Buffer.alloc(8);
  packet.copy(fields, 0, 0, 2);
  fields.writeUInt16BE(bytes, 2);
  packet.copy(fields, 4, 4, 8);
  for (const [at, byte] of fields.entries()) body[at] = (body[at] ?? 0) ^ byte;
  for (let at = 0; at < bytes; at += 1) {
    const from = FIXED_HEADER_BYTES + at;
    if (sequenceAt !== null && from >= sequenceAt && from < sequenceAt + TRANSPORT_SEQUENCE_BYTES) continue;
    const to = REPAIR_HEADER_BYTES + at;
    body[to] = (body[to] ?? 0) ^ (packet[from] ?? 0);
  }
}

/** The first bit says that no longer form follows. */
function maskOf(offsets: readonly number[]): number {
  if (Math.max(...offsets) >= MASK_PACKETS) throw new Error("The packets of a repair packet are too far apart.");
  return offsets.reduce((mask, offset) => mask | (0x4000 >> offset), 0x8000);
}
