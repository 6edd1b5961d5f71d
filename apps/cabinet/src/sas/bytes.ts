/** Numbers and texts as SAS writes them: BCD and ASCII with the most significant byte first, binary with the least first. */

/** The last `bytes` × 2 decimal digits of a whole number from 0: a meter that reaches its end starts again at 0. */
export function bcd(value: number, bytes: number): number[] {
  const digits = String(value % 10 ** (bytes * 2)).padStart(bytes * 2, "0");
  return Array.from({ length: bytes }, (_, n) => Number.parseInt(digits.slice(n * 2, n * 2 + 2), 16));
}

/** The number, or null when a digit is above 9. */
export function fromBcd(bytes: readonly number[]): number | null {
  let value = 0;
  for (const byte of bytes) {
    if (byte >> 4 > 9 || (byte & 15) > 9) return null;
    value = value * 100 + (byte >> 4) * 10 + (byte & 15);
  }
  return value;
}

/** Little endian, as all binary numbers. */
export function binary(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, n) => Math.floor(value / 256 ** n) % 256);
}

export function fromBinary(bytes: readonly number[]): number {
  return bytes.reduceRight((value, byte) => value * 256 + byte, 0);
}

export const ascii = (text: string): number[] => [...Buffer.from(text, "latin1")];
export const fromAscii = (bytes: readonly number[]): string => Buffer.from(bytes).toString("latin1");
export const hex = (bytes: readonly number[]): string => Buffer.from(bytes).toString("hex");
export const fromHex = (text: string): number[] => [...Buffer.from(text.replace(/[^0-9a-fA-F]/g, ""), "hex")];

/** CRC-16/KERMIT from `start`: polynomial 0x1021 reflected, no final change. */
export function crc16(bytes: Iterable<number>, start = 0): number {
  let crc = start;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0x8408 : crc >> 1;
  }
  return crc;
}

/** The message with its check bytes, least significant first. */
export function withCrc(message: readonly number[]): number[] {
  return [...message, ...binary(crc16(message), 2)];
}
