import type { RtpStream } from "../../ports/transport.ts";

/**
 * Largest payload of one packet, bytes. With the RTP header, its extensions, the SRTP tag and a TURN envelope it stays
 * below 1280, which every path carries.
 */
export const RTP_PAYLOAD_BYTES_MAX = 1140;

/** What is the same for every viewer: made once a frame and shared, never changed. */
export interface MediaPacket {
  readonly payload: Uint8Array;
  readonly timestamp: number;
  /** Last packet of a frame. */
  readonly marker: boolean;
}

export const FIXED_HEADER_BYTES = 12;
/** Minimum and maximum of the playout delay have twelve bits each, in this unit. */
const PLAYOUT_UNIT_MS = 10;
const PLAYOUT_SPAN = 2 ** 12;

/** Limits of how long a browser keeps a frame back, multiples of 10 ms below 41 s. */
interface PlayoutDelay {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Each frame is shown as soon as it is there. Measured as the largest single lever on delay. */
export const AT_ONCE: PlayoutDelay = { minMs: 0, maxMs: 0 };
/**
 * The browser chooses by the jitter that it measures. The minimum must not be 0: Chromium then shows each frame at once, whatever the
 * maximum is (measured; record 0251).
 */
export const EVENLY: PlayoutDelay = { minMs: 10, maxMs: 50 };
const ONE_BYTE_PROFILE = 0xbede;

/**
 * One complete RTP packet for one viewer, without the transport sequence number (`setTransportSequence`). `playout`: for how long the
 * browser keeps a frame back to show frames evenly.
 */
export function writeRtp(
  stream: RtpStream,
  packet: MediaPacket,
  sequence: number,
  playout: PlayoutDelay = AT_ONCE,
): Buffer {
  const extensionBytes = headerExtensionBytes(stream);
  const headerBytes = FIXED_HEADER_BYTES + (extensionBytes > 0 ? 4 + extensionBytes : 0);
  const out = Buffer.alloc(headerBytes + packet.payload.length);
  out[0] = extensionBytes > 0 ? 0x90 : 0x80;
  out[1] = (packet.marker ? 0x80 : 0) | stream.payloadType;
  out.writeUInt16BE(sequence, 2);
  out.writeUInt32BE(packet.timestamp, 4);
  out.writeUInt32BE(stream.ssrc, 8);
  if (extensionBytes > 0) writeHeaderExtensions(out, stream, extensionBytes, playout);
  out.set(packet.payload, headerBytes);
  return out;
}

function headerExtensionBytes(stream: RtpStream): number {
  const used = (stream.playoutDelayId === null ? 0 : 4) + (stream.transportSequenceId === null ? 0 : 4);
  return used;
}

/** One-byte form of RFC 8285: three bytes, and two with one of padding, so that the words come out even. */
function writeHeaderExtensions(out: Buffer, stream: RtpStream, extensionBytes: number, playout: PlayoutDelay): void {
  out.writeUInt16BE(ONE_BYTE_PROFILE, 12);
  out.writeUInt16BE(extensionBytes / 4, 14);
  let at = 16;
  if (stream.playoutDelayId !== null) {
    out[at] = (stream.playoutDelayId << 4) | 2;
    out.writeUIntBE((playout.minMs / PLAYOUT_UNIT_MS) * PLAYOUT_SPAN + playout.maxMs / PLAYOUT_UNIT_MS, at + 1, 3);
    at += 4;
  }
  if (stream.transportSequenceId !== null) out[at] = (stream.transportSequenceId << 4) | 1;
}

/** Bytes of a transport sequence number. */
export const TRANSPORT_SEQUENCE_BYTES = 2;

/** Where a packet of this stream has its transport sequence number; null: nowhere. */
export function transportSequenceAt({
  playoutDelayId,
  transportSequenceId,
}: Pick<RtpStream, "playoutDelayId" | "transportSequenceId">): number | null {
  if (transportSequenceId === null) return null;
  return FIXED_HEADER_BYTES + 4 + (playoutDelayId === null ? 0 : 4) + 1;
}

/** Gives a packet of this stream, or of its repair packets, its number among all packets of the connection, just before it leaves. */
export function setTransportSequence(packet: Buffer, { transportSequenceId }: RtpStream, sequence: number): void {
  // The last extension, with a byte of padding behind it.
  if (transportSequenceId !== null)
    packet.writeUInt16BE(sequence, rtpHeaderBytes(packet) - 1 - TRANSPORT_SEQUENCE_BYTES);
}

/** Length of the header of a complete RTP packet, bytes. */
export function rtpHeaderBytes(packet: Uint8Array): number {
  const first = packet[0] ?? 0;
  const fixed = FIXED_HEADER_BYTES + 4 * (first & 0x0f);
  if ((first & 0x10) === 0) return fixed;
  return fixed + 4 + 4 * (((packet[fixed + 2] ?? 0) << 8) | (packet[fixed + 3] ?? 0));
}

/** Ticks a second of the video RTP clock. */
export const VIDEO_CLOCK_HZ = 90_000;
/** Ticks a second of the Opus RTP clock. */
export const SOUND_CLOCK_HZ = 48_000;

const RTP_TIMESTAMP_SPAN = 2 ** 32;
/** Seconds from 1900 (NTP) to 1970 (Unix). */
const NTP_OFFSET_SECONDS = 2_208_988_800;

/** The RTP timestamp of a moment on the capture clock (ms): the clock itself, in ticks, modulo 2^32. */
export function rtpTimestamp(capturedAtMs: number, clockHz: number): number {
  return Math.round((capturedAtMs * clockHz) / 1000) % RTP_TIMESTAMP_SPAN;
}

/** 64 bit NTP time of a Unix time in ms, as its two 32 bit halves. */
export function ntpTime(unixMs: number): { seconds: number; fraction: number } {
  const whole = Math.floor(unixMs / 1000);
  const fraction = Math.floor(((unixMs - whole * 1000) / 1000) * 2 ** 32);
  return { seconds: (whole + NTP_OFFSET_SECONDS) % 2 ** 32, fraction };
}

/** The middle 32 bits of an NTP time, as a receiver report echoes it (LSR). */
export function compactNtp(unixMs: number): number {
  const { seconds, fraction } = ntpTime(unixMs);
  return (seconds % 65_536) * 65_536 + Math.floor(fraction / 65_536);
}
