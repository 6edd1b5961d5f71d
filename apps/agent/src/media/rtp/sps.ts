import { splitAnnexB } from "./frame-packets.ts";

/*
 * The sequence parameter set of H.264 (ITU-T H.264, 7.3.2.1 and annex E). A decoder that does not read in it that frames leave in the order in which
 * they came holds back as many as the level allows.
 */

/** What a sequence parameter set says, as far as it matters here. */
export interface SequenceParameters {
  readonly profile: number;
  /** The six `constraint_set` flags, from the highest bit on. */
  readonly constraints: number;
  /** Ten times the level. */
  readonly level: number;
  /** Of the frame as shown, pixels. */
  readonly width: number;
  readonly height: number;
  /** 4:2:0 with eight bits, in whole frames: all that browsers decode. */
  readonly plain: boolean;
  readonly frameNumberBits: number;
  /** 2: frames leave in the order in which they come, by the standard itself. */
  readonly orderType: 0 | 1 | 2;
  /** Of type 0: bits of a slice's place in the order. */
  readonly orderBits: number;
  readonly references: number;
  /** Frames that may come before one which leaves earlier; undefined: it does not say. */
  readonly reordered: number | undefined;
  /** Frames that a decoder may hold; undefined: it does not say. */
  readonly buffered: number | undefined;
}

/** A parameter set that breaks the standard, or is longer than any real one. */
export class SpsProblem extends Error {
  override readonly name = "SpsProblem";
}

/** The longest one that the standard allows has less than this, with all of its tables, bytes. */
const BYTES_MAX = 4_096;
const SPS = 7;
const SLICE = 1;
const PARTITION = 2;
/** The place and the type of a slice end before this. */
const SLICE_HEAD_BYTES = 12;

/** Reads one unit, without its start code. Throws an `SpsProblem`. */
export function readSps(unit: Uint8Array): SequenceParameters {
  return parse(unit).says;
}

/**
 * The same unit, saying that frames leave in the order in which they come and that a decoder holds no more of them than it refers to. Only for a
 * stream of which that is true. Throws an `SpsProblem`.
 */
export function inOrderSps(unit: Uint8Array): Uint8Array {
  const { says, bits, vui, restriction } = parse(unit);
  if (says.reordered === 0 && says.buffered === says.references) return unit;
  const written = new BitWriter(bits, restriction?.at ?? vui.at);
  // A new annex: its flag, and none of its parts before the restriction (eight flags, one of them of two kinds of a rate buffer each).
  if (restriction === undefined && !vui.present) written.bits(0b1_0000_0000, 9);
  const { vectorsOutside = 1, bytes = 0, blockBits = 0, across = 16, down = 16 } = restriction?.limits ?? {};
  written.bits(1, 1);
  written.bits(vectorsOutside, 1);
  for (const value of [bytes, blockBits, across, down, 0, says.references]) written.golomb(value);
  return escaped(written.end());
}

/** As `inOrderUnit`, for a stream that was encoded elsewhere: no longer once a frame needs a later one, because then it is not true. */
export function createInOrder(): (unit: Buffer) => Buffer {
  let isTrue = true;
  return (unit) => {
    isTrue &&= !splitAnnexB(unit).some(needsLater);
    return isTrue ? inOrderUnit(unit) : unit;
  };
}

const SLICE_TYPES = 9;

/** Whether a unit is a slice of type B (7.3.3). */
export function needsLater(unit: Uint8Array): boolean {
  const type = (unit[0] ?? 0) & 31;
  if (type !== SLICE && type !== PARTITION) return false;
  const from = new BitReader(unescapedStart(unit.subarray(1, 1 + SLICE_HEAD_BYTES)));
  try {
    from.golomb(GOLOMB_MAX);
    return from.golomb(SLICE_TYPES) % 5 === 1;
  } catch (error) {
    if (error instanceof SpsProblem) return false;
    throw error;
  }
}

/** An access unit in whose parameter sets frames leave in order. What cannot be read stays as it is. */
export function inOrderUnit(unit: Buffer): Buffer {
  const parts = splitAnnexB(unit);
  let changed = false;
  const rewritten = parts.map((part) => {
    if (((part[0] ?? 0) & 31) !== SPS) return part;
    const better = inOrderOrSame(part);
    changed ||= better !== part;
    return better;
  });
  return changed ? Buffer.concat(rewritten.flatMap((part) => [START_CODE, part])) : unit;
}

const START_CODE = Uint8Array.of(0, 0, 0, 1);

function inOrderOrSame(unit: Uint8Array): Uint8Array {
  try {
    return inOrderSps(unit);
  } catch (error) {
    if (error instanceof SpsProblem) return unit;
    throw error;
  }
}

/** Of `bitstream_restriction`, in its order. */
interface Limits {
  readonly vectorsOutside: number;
  readonly bytes: number;
  readonly blockBits: number;
  readonly across: number;
  readonly down: number;
}

interface Parsed {
  readonly says: SequenceParameters;
  readonly bits: Uint8Array;
  /** Where its annex E begins, bits. */
  readonly vui: { readonly at: number; readonly present: boolean };
  /** Where `bitstream_restriction_flag` is, bits; undefined without the annex. */
  readonly restriction: { readonly at: number; readonly limits: Limits | undefined } | undefined;
}

function parse(unit: Uint8Array): Parsed {
  if (unit.length < 5 || unit.length > BYTES_MAX) throw new SpsProblem(`A parameter set has ${unit.length} bytes`);
  const bits = unescaped(unit);
  const from = new BitReader(bits);
  // The bit that must be zero, and the type; how important it is does not matter here.
  if (from.flag()) throw new SpsProblem("Its first bit is set");
  from.bits(2);
  if (from.bits(5) !== SPS) throw new SpsProblem("It is no sequence parameter set");
  const [profile, flags, level] = [from.bits(8), from.bits(8), from.bits(8)];
  if ((flags & 3) !== 0) throw new SpsProblem("Its reserved bits are set");
  from.golomb(31);
  const isEightBits = !WITH_CHROMA.has(profile) || chroma(from);
  const frameNumberBits = from.golomb(12) + 4;
  const order = orderOf(from);
  const references = from.golomb(16);
  from.bits(1);
  const frame = frameOf(from);
  const vui = { at: from.at, present: from.flag() };
  const restriction = vui.present ? annexE(from) : undefined;
  from.end();
  const { limits, reordered, buffered } = restriction ?? {};
  if (reordered !== undefined && buffered !== undefined && (reordered > buffered || references > buffered))
    throw new SpsProblem("It holds fewer frames than it refers to or reorders");
  const says = {
    ...{ profile, constraints: flags >> 2, level, width: frame.width, height: frame.height, frameNumberBits, ...order },
    ...{ references, reordered, buffered, plain: isEightBits && frame.whole },
  };
  return { says, bits, vui, restriction: restriction && { at: restriction.at, limits } };
}

/** Profiles whose parameter sets name the kind of their colours. */
const WITH_CHROMA = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

/** Whether it is 4:2:0 with eight bits. */
function chroma(from: BitReader): boolean {
  const kind = from.golomb(3);
  if (kind === 3) from.bits(1);
  const deeper = from.golomb(6) + from.golomb(6);
  const isLossless = from.flag();
  const most = kind === 3 ? 12 : 8;
  const lists = from.flag() ? most : 0;
  for (let n = 0; n < lists; n += 1) if (from.flag()) scalingList(from, n < 6 ? 16 : 64);
  return kind === 1 && deeper === 0 && !isLossless;
}

function scalingList(from: BitReader, size: number): void {
  let [last, next] = [8, 8];
  for (let n = 0; n < size; n += 1) {
    if (next !== 0) next = (last + from.signed(-128, 127) + 256) % 256;
    if (next !== 0) last = next;
  }
}

function orderOf(from: BitReader): { orderType: 0 | 1 | 2; orderBits: number } {
  const orderType = from.golomb(2) as 0 | 1 | 2;
  if (orderType === 0) return { orderType, orderBits: from.golomb(12) + 4 };
  if (orderType === 1) {
    const most = 2 ** 31 - 1;
    from.bits(1);
    from.signed(-most, most);
    from.signed(-most, most);
    for (let left = from.golomb(255); left > 0; left -= 1) from.signed(-most, most);
  }
  return { orderType, orderBits: 0 };
}

/** Macroblocks of an edge that the highest level allows. */
const EDGE_MAX = 1_055;

function frameOf(from: BitReader): { width: number; height: number; whole: boolean } {
  const across = from.golomb(EDGE_MAX - 1) + 1;
  const rows = from.golomb(EDGE_MAX - 1) + 1;
  const isWhole = from.flag();
  if (!isWhole) from.bits(1);
  from.bits(1);
  let [width, height] = [across * 16, rows * 16 * (isWhole ? 1 : 2)];
  if (from.flag()) {
    // In pixels of 4:2:0; nothing shows other kinds.
    const unit = isWhole ? 2 : 4;
    const edge = EDGE_MAX * 16;
    width -= 2 * (from.golomb(edge) + from.golomb(edge));
    height -= unit * (from.golomb(edge) + from.golomb(edge));
  }
  if (width <= 0 || height <= 0) throw new SpsProblem("Its frame is cut to nothing");
  return { width, height, whole: isWhole };
}

const EXTENDED_SHAPE = 255;

/** Annex E up to its end. */
function annexE(from: BitReader): Restriction {
  if (from.flag() && from.bits(8) === EXTENDED_SHAPE) from.bits(32);
  if (from.flag()) from.bits(1);
  if (from.flag()) {
    from.bits(4);
    if (from.flag()) from.bits(24);
  }
  if (from.flag()) {
    from.golomb(5);
    from.golomb(5);
  }
  if (from.flag()) {
    from.bits(32);
    from.bits(32);
    from.bits(1);
  }
  const hasRates = [rateBuffer(from), rateBuffer(from)].includes(true);
  if (hasRates) from.bits(1);
  from.bits(1);
  return restrictionOf(from);
}

/** A hypothetical decoder's buffer; true: it is there. */
function rateBuffer(from: BitReader): boolean {
  if (!from.flag()) return false;
  const rates = from.golomb(31) + 1;
  from.bits(8);
  for (let n = 0; n < rates; n += 1) {
    from.golomb(GOLOMB_MAX);
    from.golomb(GOLOMB_MAX);
    from.bits(1);
  }
  from.bits(20);
  return true;
}

interface Restriction {
  readonly at: number;
  readonly limits: Limits | undefined;
  readonly reordered: number | undefined;
  readonly buffered: number | undefined;
}

function restrictionOf(from: BitReader): Restriction {
  const { at } = from;
  if (!from.flag()) return { at, limits: undefined, reordered: undefined, buffered: undefined };
  const limits = {
    vectorsOutside: from.bits(1),
    bytes: from.golomb(16),
    blockBits: from.golomb(16),
    across: from.golomb(16),
    down: from.golomb(16),
  };
  return { at, limits, reordered: from.golomb(16), buffered: from.golomb(16) };
}

/** The largest number that 32 leading zeros allow. */
const GOLOMB_MAX = 2 ** 32 - 2;

/** Bits from the highest to the lowest. Every read is checked against the end. */
export class BitReader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** At most 32. */
  bits(count: number): number {
    if (this.at + count > this.#bytes.length * 8) throw new SpsProblem("It breaks off");
    let value = 0;
    for (let left = count; left > 0; left -= 1, this.at += 1)
      value = value * 2 + (((this.#bytes[this.at >> 3] ?? 0) >> (7 - (this.at & 7))) & 1);
    return value;
  }

  flag(): boolean {
    return this.bits(1) === 1;
  }

  /** An unsigned number of Exp-Golomb (9.1), at most `most`. */
  golomb(most: number): number {
    let zeros = 0;
    while (this.bits(1) === 0) {
      zeros += 1;
      if (zeros > 31) throw new SpsProblem("A number is too long");
    }
    const value = 2 ** zeros - 1 + this.bits(zeros);
    if (value > most) throw new SpsProblem(`A number is ${value}, over ${most}`);
    return value;
  }

  signed(least: number, most: number): number {
    const value = this.golomb(GOLOMB_MAX);
    const signed = value % 2 === 1 ? (value + 1) / 2 : -value / 2;
    if (signed < least || signed > most) throw new SpsProblem(`A number is ${signed}, not ${least} to ${most}`);
    return signed;
  }

  /** One bit that is set, and zeros to the end of the byte; nothing after it. */
  end(): void {
    if (!this.flag()) throw new SpsProblem("It has no end");
    if (this.at <= (this.#bytes.length - 1) * 8) throw new SpsProblem("Something follows its end");
    if (this.bits(this.#bytes.length * 8 - this.at) !== 0) throw new SpsProblem("Its last bits are not zero");
  }
}

class BitWriter {
  readonly #bits: number[] = [];

  /** Begins with the first bits of `bytes`. */
  constructor(bytes: Uint8Array, count: number) {
    const from = new BitReader(bytes);
    for (let n = 0; n < count; n += 1) this.#bits.push(from.bits(1));
  }

  bits(value: number, count: number): void {
    for (let n = count - 1; n >= 0; n -= 1) this.#bits.push((value >> n) & 1);
  }

  golomb(value: number): void {
    const length = 32 - Math.clz32(value + 1);
    this.bits(0, length - 1);
    this.bits(value + 1, length);
  }

  end(): Uint8Array {
    this.bits(1, 1);
    const bytes = new Uint8Array(Math.ceil(this.#bits.length / 8));
    for (const [n, bit] of this.#bits.entries()) bytes[n >> 3] = (bytes[n >> 3] ?? 0) | (bit << (7 - (n & 7)));
    return bytes;
  }
}

/** Without the bytes that keep a unit from looking like a start code (7.4.1). */
export function unescaped(unit: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(unit.length);
  let [length, zeros] = [0, 0];
  for (const [at, byte] of unit.entries()) {
    if (zeros >= 2 && byte < 3) throw new SpsProblem("There is a start code inside");
    if (zeros >= 2 && byte === 3) {
      if ((unit[at + 1] ?? 0) > 3) throw new SpsProblem("It guards what needs no guard");
      zeros = 0;
      continue;
    }
    bytes[length] = byte;
    length += 1;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return bytes.subarray(0, length);
}

/** As `unescaped`, of a part: what is wrong in it does not matter here. */
const unescapedStart = (part: Uint8Array): Uint8Array =>
  part.filter((byte, at) => !(byte === 3 && part[at - 1] === 0 && part[at - 2] === 0));

export function escaped(bytes: Uint8Array): Uint8Array {
  const unit: number[] = [];
  let zeros = 0;
  for (const byte of bytes) {
    if (zeros >= 2 && byte <= 3) {
      unit.push(3);
      zeros = 0;
    }
    unit.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Uint8Array.from(unit);
}
