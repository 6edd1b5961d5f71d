import type { FrameClock } from "../../ports/source.ts";
import type { VideoCodec } from "../../ports/transport.ts";
import type { MediaPacket } from "./rtp.ts";
import { RTP_PAYLOAD_BYTES_MAX, rtpTimestamp, VIDEO_CLOCK_HZ } from "./rtp.ts";

/** One encoded frame, cut once and shared by every viewer of its codec. */
export interface FramePackets {
  /** The frame as the encoder gave it. */
  readonly unit: Uint8Array;
  readonly packets: readonly MediaPacket[];
  readonly keyFrame: boolean;
  readonly timestamp: number;
  readonly capturedAtMs: number;
  /** As the source's frame has it. */
  readonly takenAtMs?: number | undefined;
  readonly clock?: FrameClock | undefined;
  /** Sum of the payloads, bytes. */
  readonly bytes: number;
}

/** Cuts frames of one codec; keeps the running VP8 picture id. */
export function createFramePacketizer(codec: VideoCodec) {
  let pictureId = 0;
  return (unit: Uint8Array, keyFrame: boolean, capturedAtMs: number): FramePackets => {
    const payloads = codec === "h264" ? packetizeH264(unit) : packetizeVp8(unit, pictureId);
    pictureId = (pictureId + 1) & 0x7fff;
    const timestamp = rtpTimestamp(capturedAtMs, VIDEO_CLOCK_HZ);
    const packets = payloads.map((payload, at) => ({ payload, timestamp, marker: at === payloads.length - 1 }));
    const bytes = payloads.reduce((sum, payload) => sum + payload.length, 0);
    return { unit, packets, keyFrame, timestamp, capturedAtMs, bytes };
  };
}

/** X (extended) and I (picture id), then the 15 bit form of the id: four bytes before each piece (RFC 7741). */
const DESCRIPTOR_BYTES = 4;

/** RTP payloads of one VP8 frame; `pictureId` grows by one a frame and wraps at 2^15. */
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

const STAP_A = 24;
const FU_A = 28;

/** NAL units whose loss or absence changes nothing: access unit delimiters, SEI and filler. */
const DROPPED_TYPES = new Set([6, 9, 12]);

/** The NAL units of one Annex B access unit, without start codes. */
export function splitAnnexB(unit: Uint8Array): Uint8Array[] {
  const nals: Uint8Array[] = [];
  let start = -1;
  let at = 0;
  while (at + 3 <= unit.length) {
    if (unit[at] === 0 && unit[at + 1] === 0 && unit[at + 2] === 1) {
      if (start >= 0) nals.push(trimZeros(unit.subarray(start, at)));
      start = at + 3;
      at = start;
    } else at += 1;
  }
  if (start >= 0) nals.push(trimZeros(unit.subarray(start)));
  return nals.filter((nal) => nal.length > 0);
}

/** A four byte start code leaves a zero behind; a NAL never ends with one. */
function trimZeros(nal: Uint8Array): Uint8Array {
  let end = nal.length;
  while (end > 0 && nal[end - 1] === 0) end -= 1;
  return nal.subarray(0, end);
}

/**
 * RTP payloads of one H.264 frame in packetization mode 1 (RFC 6184): small neighbours (SPS, PPS) share a STAP-A,
 * large slices are cut into FU-A, the rest go as they are.
 */
export function packetizeH264(unit: Uint8Array, maxBytes = RTP_PAYLOAD_BYTES_MAX): Uint8Array[] {
  const nals = splitAnnexB(unit).filter((nal) => !DROPPED_TYPES.has((nal[0] ?? 0) & 0x1f));
  const payloads: Uint8Array[] = [];
  let group: Uint8Array[] = [];
  let groupBytes = 1;
  const flush = () => {
    if (group.length === 1 && group[0]) payloads.push(group[0]);
    else if (group.length > 1) payloads.push(aggregate(group, groupBytes));
    group = [];
    groupBytes = 1;
  };
  for (const nal of nals) {
    if (nal.length > maxBytes) {
      flush();
      payloads.push(...fragment(nal, maxBytes));
      continue;
    }
    if (groupBytes + 2 + nal.length > maxBytes) flush();
    group.push(nal);
    groupBytes += 2 + nal.length;
  }
  flush();
  return payloads;
}

function aggregate(nals: readonly Uint8Array[], bytes: number): Uint8Array {
  const out = Buffer.alloc(bytes);
  const importance = Math.max(...nals.map((nal) => (nal[0] ?? 0) & 0x60));
  out[0] = importance | STAP_A;
  let at = 1;
  for (const nal of nals) {
    out.writeUInt16BE(nal.length, at);
    out.set(nal, at + 2);
    at += 2 + nal.length;
  }
  return out;
}

/** Pieces of nearly equal size: a last packet of a few bytes would cost as much as a full one. */
function fragment(nal: Uint8Array, maxBytes: number): Uint8Array[] {
  const header = nal[0] ?? 0;
  const body = nal.subarray(1);
  const count = Math.ceil(body.length / (maxBytes - 2));
  const size = Math.ceil(body.length / count);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    const out = Buffer.alloc(2 + part.length);
    out[0] = (header & 0xe0) | FU_A;
    out[1] = (header & 0x1f) | (at === 0 ? 0x80 : 0) | (at + size >= body.length ? 0x40 : 0);
    out.set(part, 2);
    pieces.push(out);
  }
  return pieces;
}
