/* RTP packets of one H.264 track (RFC 3550 and 6184) into frames. */

/** One frame as a camera encoded it. */
export interface AccessUnit {
  /** In Annex B; a key frame has its parameter sets. */
  readonly unit: Buffer;
  readonly keyFrame: boolean;
  /** By the camera's count, ms; it does not wrap. */
  readonly atMs: number;
  /** Something was lost since the frame before, or in it. */
  readonly damaged: boolean;
}

interface Packet {
  readonly marker: boolean;
  readonly sequence: number;
  readonly time: number;
  readonly source: number;
  readonly payload: Buffer;
}

const HEADER_BYTES = 12;
const START_CODE = Buffer.of(0, 0, 0, 1);
/** A frame of 1920 × 1088 with no compression at all is smaller. */
const UNIT_BYTES_MAX = 4_000_000;
const PARTS_MAX = 4_096;
const TICKS_PER_MS = 90;
const KEY = 5;
const SPS = 7;
const PPS = 8;
const AGGREGATE = 24;
const FRAGMENT = 28;
const SENDER_REPORT = 200;
/** Seconds from 1900, where NTP's time begins, to 1970. */
const NTP_EPOCH_S = 2_208_988_800;

/** Reads an RTP packet; undefined: it is none, or one of another track. */
function readRtp(bytes: Buffer, payloadType: number): Packet | undefined {
  if (bytes.length < HEADER_BYTES || (bytes[0] ?? 0) >> 6 !== 2 || ((bytes[1] ?? 0) & 127) !== payloadType)
    return undefined;
  const flags = bytes[0] ?? 0;
  let start = HEADER_BYTES + (flags & 15) * 4;
  if ((flags & 16) !== 0) {
    if (bytes.length < start + 4) return undefined;
    start += 4 + bytes.readUInt16BE(start + 2) * 4;
  }
  const end = bytes.length - ((flags & 32) === 0 ? 0 : (bytes.at(-1) ?? 0));
  if (start >= end) return undefined;
  return {
    marker: ((bytes[1] ?? 0) & 128) !== 0,
    sequence: bytes.readUInt16BE(2),
    time: bytes.readUInt32BE(4),
    source: bytes.readUInt32BE(8),
    payload: bytes.subarray(start, end),
  };
}

/** Puts frames together. A frame is whole with the packet that says that it is the last, or, where a camera's say it wrongly, with the next frame. */
export function createAccessUnits(
  { payloadType, parameterSets }: { readonly payloadType: number; readonly parameterSets: readonly Buffer[] },
  deliver: (unit: AccessUnit) => void,
) {
  const frame = createFrame();
  const count = createCount();
  const sets = new Map(parameterSets.map((set) => [(set[0] ?? 0) & 31, set]));
  let last: Packet | undefined;
  /** The count of the frame that ended with its marker. */
  let endedAt: number | undefined;
  let believesMarkers = true;
  let lost = false;

  const finish = (time: number): void => {
    const parts = frame.take();
    for (const part of parts) if (isSet(part)) sets.set((part[0] ?? 0) & 31, part);
    const hasSlice = parts.some((part) => typeOf(part) >= 1 && typeOf(part) <= KEY);
    if (!hasSlice) return;
    const keyFrame = parts.some((part) => typeOf(part) === KEY);
    const missing = keyFrame ? [SPS, PPS].filter((type) => !parts.some((part) => typeOf(part) === type)) : [];
    const given = missing.flatMap((type) => sets.get(type) ?? []);
    const unit = Buffer.concat([...given, ...parts].flatMap((part) => [START_CODE, part]));
    deliver({ unit, keyFrame, atMs: count.of(time) / TICKS_PER_MS, damaged: lost });
    lost = false;
  };

  return {
    /** The camera's own number of the stream; undefined before the first packet. */
    source: (): number | undefined => last?.source,
    packet(bytes: Buffer): void {
      const packet = readRtp(bytes, payloadType);
      if (packet === undefined) return;
      if (last !== undefined && packet.sequence !== ((last.sequence + 1) & 0xffff)) lost = true;
      if (last !== undefined && packet.time !== last.time) {
        finish(last.time);
        endedAt = undefined;
      }
      // A slice after the end of its own frame: its markers end slices.
      if (packet.time === endedAt && isSliceOf(packet.payload)) believesMarkers = false;
      last = packet;
      if (!frame.add(packet.payload)) lost = true;
      if (!(packet.marker && believesMarkers)) return;
      if (!frame.hasSlice()) return;
      endedAt = packet.time;
      finish(packet.time);
    },
    /** The wall clock's time of count 0 by a sender report among these packets of control, ms since 1970; undefined: there is none. */
    zeroAtMs(bytes: Buffer): number | undefined {
      for (let at = 0; at + 8 <= bytes.length; at += 4 + bytes.readUInt16BE(at + 2) * 4) {
        if (bytes[at + 1] !== SENDER_REPORT || at + 20 > bytes.length) continue;
        const wallMs =
          (bytes.readUInt32BE(at + 8) - NTP_EPOCH_S) * 1_000 + (bytes.readUInt32BE(at + 12) * 1_000) / 2 ** 32;
        return wallMs - count.near(bytes.readUInt32BE(at + 16)) / TICKS_PER_MS;
      }
      return undefined;
    },
  };
}

const typeOf = (part: Buffer): number => (part[0] ?? 0) & 31;
const isSet = (part: Buffer): boolean => typeOf(part) === SPS || typeOf(part) === PPS;

/** Whether a packet carries a slice, or the beginning of one. */
function isSliceOf(payload: Buffer): boolean {
  const type = typeOf(payload) === FRAGMENT ? (payload[1] ?? 0) & 31 : typeOf(payload);
  return type >= 1 && type <= KEY;
}

/** A count of 32 bits that wraps, as one that does not. */
function createCount() {
  let known: number | undefined;
  const near = (time: number): number => {
    known ??= time;
    return known + ((time - known) | 0);
  };
  return {
    near,
    of(time: number): number {
      known = near(time);
      return known;
    },
  };
}

/** The units of the frame that is being put together. */
function createFrame() {
  let parts: Buffer[] = [];
  let pieces: Buffer[] | undefined;
  let bytes = 0;
  let count = 0;

  const fragment = (payload: Buffer): boolean => {
    const [head = 0, state = 0] = payload;
    if ((state & 128) !== 0) pieces = [Buffer.of((head & 0xe0) | (state & 31))];
    if (pieces === undefined) return false;
    pieces.push(payload.subarray(2));
    if ((state & 64) === 0) return true;
    parts.push(Buffer.concat(pieces));
    pieces = undefined;
    return true;
  };
  const aggregate = (payload: Buffer): boolean => {
    for (let at = 1; at < payload.length; ) {
      const end = at + 2 + (at + 2 <= payload.length ? payload.readUInt16BE(at) : payload.length);
      if (end > payload.length || end === at + 2) return false;
      parts.push(payload.subarray(at + 2, end));
      at = end;
    }
    return true;
  };

  return {
    hasSlice: () => parts.some((part) => typeOf(part) >= 1 && typeOf(part) <= KEY),
    /** False: it cannot be used, and the frame is damaged. */
    add(payload: Buffer): boolean {
      bytes += payload.length;
      count += 1;
      if (bytes > UNIT_BYTES_MAX || count > PARTS_MAX) return false;
      const type = typeOf(payload);
      if (type !== FRAGMENT) pieces = undefined;
      if (type === FRAGMENT) return payload.length > 2 && fragment(payload);
      if (type === AGGREGATE) return aggregate(payload);
      if (type === 0 || type > AGGREGATE) return false;
      parts.push(payload);
      return true;
    },
    take(): Buffer[] {
      const taken = parts;
      parts = [];
      pieces = undefined;
      bytes = 0;
      count = 0;
      return taken;
    },
  };
}
