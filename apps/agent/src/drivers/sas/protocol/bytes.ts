/** Bytes that break the protocol. The message names what, never a secret: SAS has none. */
export class ProtocolProblem extends Error {
  override readonly name = "ProtocolProblem";
}

/** Bytes of the checksum behind every message that has one. */
export const CRC_BYTES = 2;
/** Longest message of the protocol: address, command, length byte, 255 bytes, checksum. */
export const MESSAGE_BYTES_MAX = 260;

const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, start) => {
  let crc = start;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x8408 : crc >>> 1;
  return crc;
});

/** CRC-16/KERMIT: polynomial 1021h reflected, start value 0, no final inversion. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return crc;
}

/** The bytes with their checksum behind them, low byte first. */
export function withCrc(bytes: Uint8Array): Uint8Array {
  const crc = crc16(bytes);
  return Uint8Array.of(...bytes, crc & 0xff, crc >>> 8);
}

/** Whether the last two bytes are the checksum of those before. */
export function crcHolds(message: Uint8Array): boolean {
  if (message.length <= CRC_BYTES) return false;
  const body = message.subarray(0, -CRC_BYTES);
  const crc = crc16(body);
  return message.at(-2) === (crc & 0xff) && message.at(-1) === crc >>> 8;
}

/** `017F…`, as in a trace. */
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** A whole number as packed BCD, most significant digits first. Throws `RangeError` for one that does not fit. */
export function bcd(value: number, bytes: number): number[] {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 100 ** bytes)
    throw new RangeError(`${value} does not fit ${bytes} bytes of BCD`);
  const digits = String(value).padStart(bytes * 2, "0");
  return Array.from({ length: bytes }, (_, at) => Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16));
}

/** A whole number in binary, low byte first: the protocol's order for everything that is not BCD or text. */
export function binary(value: number, bytes: number): number[] {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 256 ** bytes)
    throw new RangeError(`${value} does not fit ${bytes} bytes`);
  return Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** at) % 256);
}

/** Printable ASCII as bytes. Throws `RangeError` for any other character. */
export function ascii(text: string): number[] {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new RangeError("the text is not printable ASCII");
  return Array.from(text, (letter) => letter.charCodeAt(0));
}

/** Reads the fields of a message strictly, in order. Every method throws `ProtocolProblem` instead of guessing. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(count: number): Uint8Array {
    if (count > this.left) throw new ProtocolProblem(`${count} bytes are announced and ${this.left} are left`);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** Packed BCD, most significant digits first; at most 7 bytes, so that the number stays exact. */
  bcd(bytes: number): number {
    const digits = hexOf(this.take(bytes));
    if (!/^\d{0,15}$/.test(digits)) throw new ProtocolProblem(`${digits} is not BCD`);
    return Number(digits);
  }

  /** Binary, low byte first; at most 6 bytes, so that the number stays exact. */
  binary(bytes: number): number {
    return this.take(bytes).reduceRight((value, byte) => value * 256 + byte, 0);
  }

  /** Printable ASCII; trailing blanks and zero bytes, with which machines fill a field, are left out. */
  ascii(bytes: number): string {
    const text = String.fromCharCode(...this.take(bytes)).replace(/[\0 ]+$/, "");
    if (!/^[\x20-\x7e]*$/.test(text)) throw new ProtocolProblem("a text is not printable ASCII");
    return text;
  }

  /** Nothing may be left. */
  end(): void {
    if (this.left > 0) throw new ProtocolProblem(`${this.left} bytes are left over`);
  }
}
