import { isDeepStrictEqual } from "node:util";
import { splitAnnexB } from "./frame-packets.ts";
import type { SequenceParameters } from "./sps.ts";
import { BitReader, escaped, readSps, SpsProblem, unescaped } from "./sps.ts";

/*
 * Slices of H.264 (ITU-T H.264, 7.3.3) carry the number of their frame, which grows by one from a key frame on. A stream that takes another key frame in the
 * place of one of its frames is whole again once the frames after it count from there.
 */

const SLICE = 1;
const KEY_SLICE = 5;
const SPS = 7;
const PPS = 8;
/** The frame number of a slice ends before this, bytes. */
const HEAD_BYTES = 16;
const MACROBLOCKS_MAX = 139_264;
const SLICE_TYPES = 9;
const PARAMETER_SETS = 255;

const typeOf = (nal: Uint8Array): number => (nal[0] ?? 0) & 31;

/** What a key frame says of its stream. */
export interface StreamHead {
  readonly says: SequenceParameters;
  /** Its parameter sets. */
  readonly sets: readonly Uint8Array[];
}

/** Of an access unit in Annex B; undefined where it has no parameter sets that can be read. */
export function readHead(unit: Uint8Array): StreamHead | undefined {
  const sets = splitAnnexB(unit).filter(isSet);
  const sps = sets.find((nal) => typeOf(nal) === SPS);
  if (sps === undefined) return undefined;
  try {
    return { says: readSps(sps), sets };
  } catch (error) {
    if (error instanceof SpsProblem) return undefined;
    throw error;
  }
}

const isSet = (nal: Uint8Array): boolean => typeOf(nal) === SPS || typeOf(nal) === PPS;

/** A key frame of another encoder as one of this stream; undefined where its slices are to be read in another way. Its level, and so how far vectors reach, may differ: it has none. */
export function withParameters(unit: Uint8Array, { says, sets }: StreamHead): Buffer | undefined {
  const other = readHead(unit);
  if (other === undefined || !isDeepStrictEqual({ ...other.says, level: says.level }, says)) return undefined;
  const pictureSets = (all: readonly Uint8Array[]) => Buffer.concat(all.filter((set) => typeOf(set) === PPS));
  if (!pictureSets(other.sets).equals(pictureSets(sets))) return undefined;
  return joined([...sets, ...splitAnnexB(unit).filter((nal) => !isSet(nal))]);
}

const joined = (nals: readonly Uint8Array[]): Buffer => Buffer.concat(nals.flatMap((nal) => [START_CODE, nal]));

/** The frame number of an access unit's first slice; undefined for a key frame, whose number is 0. */
export function frameNumberOf(unit: Uint8Array, frameNumberBits: number): number | undefined {
  const slice = splitAnnexB(unit).find((nal) => typeOf(nal) === SLICE || typeOf(nal) === KEY_SLICE);
  if (slice === undefined || typeOf(slice) === KEY_SLICE) return undefined;
  const from = new BitReader(unescaped(slice.subarray(0, headEnd(slice))));
  skipToNumber(from);
  return from.bits(frameNumberBits);
}

/** The same access unit, its frame numbers less by so many. */
export function renumbered(unit: Uint8Array, frameNumberBits: number, less: number): Buffer {
  return joined(
    splitAnnexB(unit).map((nal) => (typeOf(nal) === SLICE ? renumberedSlice(nal, frameNumberBits, less) : nal)),
  );
}

const START_CODE = Uint8Array.of(0, 0, 0, 1);

function renumberedSlice(nal: Uint8Array, frameNumberBits: number, less: number): Uint8Array {
  const end = headEnd(nal);
  const head = Uint8Array.from(unescaped(nal.subarray(0, end)));
  const from = new BitReader(head);
  skipToNumber(from);
  const { at } = from;
  const number = from.bits(frameNumberBits) - less;
  for (let bit = 0; bit < frameNumberBits; bit += 1) {
    const place = at + frameNumberBits - 1 - bit;
    const mask = 1 << (7 - (place & 7));
    head[place >> 3] = ((head[place >> 3] ?? 0) & ~mask) | ((number >> bit) & 1 ? mask : 0);
  }
  return Buffer.concat([escaped(head), nal.subarray(end)]);
}

function skipToNumber(from: BitReader): void {
  from.bits(8);
  from.golomb(MACROBLOCKS_MAX);
  from.golomb(SLICE_TYPES);
  from.golomb(PARAMETER_SETS);
}

/** Where a unit may be cut so that neither part changes how the other is guarded against start codes (7.4.1). */
function headEnd(nal: Uint8Array): number {
  for (let end = HEAD_BYTES; end < nal.length; end += 1) if ((nal[end - 1] ?? 0) > 3) return end;
  return nal.length;
}
