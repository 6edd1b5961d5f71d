import type { EvidenceManifest } from "./format.ts";
import { EVIDENCE_BYTES_MAX, MANIFEST_NAME } from "./format.ts";

/*
 * The zip of an export: nothing is compressed, every time is 1 January 1980, and the manifest comes first. So all bytes that are of no file follow from
 * names, lengths and sums of the files: a reader makes them anew and compares them, and no byte is left that might say something else.
 */

export type ZipFile = { readonly name: string; readonly bytes: number; readonly crc: number };

const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const VERSION = 20;
/** Day 1 of month 1 of 1980, as a zip writes it. */
const DATE = 0x21;

/** What is before the bytes of a file. */
export function localHead({ name, bytes, crc }: ZipFile): Uint8Array<ArrayBuffer> {
  return fields([4, 0x04034b50], ...about({ name, bytes, crc }), [0, name]);
}

/** What is after the last file. */
export function zipEnd(files: readonly ZipFile[]): Uint8Array<ArrayBuffer> {
  let at = 0;
  const entries = files.map((file) => {
    const start = at;
    at += LOCAL_BYTES + file.name.length + file.bytes;
    const more = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, start],
    ] as const;
    return fields([4, 0x02014b50], [2, VERSION], ...about(file), ...more, [0, file.name]);
  });
  const size = entries.reduce((sum, { length }) => sum + length, 0);
  const count = [
    [2, files.length],
    [2, files.length],
    [4, size],
    [4, at],
    [2, 0],
  ] as const;
  return joined([...entries, fields([4, 0x06054b50], [2, 0], [2, 0], ...count)]);
}

/** How long the zip of these files is. */
export const zipBytes = (files: readonly Omit<ZipFile, "crc">[]): number =>
  files.reduce((sum, { name, bytes }) => sum + LOCAL_BYTES + CENTRAL_BYTES + 2 * name.length + bytes, END_BYTES);

function about({ name, bytes, crc }: ZipFile): readonly Field[] {
  return [
    [2, VERSION],
    [2, 0],
    [2, 0],
    [2, 0],
    [2, DATE],
    [4, crc],
    [4, bytes],
    [4, bytes],
    [2, name.length],
    [2, 0],
  ];
}

/** Little-endian: a number of so many bytes, or the letters of a name. */
type Field = readonly [2 | 4, number] | readonly [0, string];

function fields(...all: readonly Field[]): Uint8Array<ArrayBuffer> {
  const bytes = all.flatMap(([size, value]) =>
    typeof value === "string"
      ? Array.from(value, (letter) => letter.charCodeAt(0))
      : Array.from({ length: size }, (_, n) => (value >>> (8 * n)) & 255),
  );
  return Uint8Array.from(bytes);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** The sum that a zip keeps of a file. */
export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (let n = 0; n < bytes.length; n += 1) crc = (CRC[(crc ^ (bytes[n] ?? 0)) & 255] ?? 0) ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}

export const sha256 = async (bytes: Uint8Array): Promise<string> =>
  hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)));

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");

/** The manifest's bytes of a zip, by the length that its own head says. Undefined: it is no such zip. */
export function manifestIn(zip: Uint8Array): Uint8Array | undefined {
  const start = LOCAL_BYTES + MANIFEST_NAME.length;
  if (zip.length < start || zip.length > EVIDENCE_BYTES_MAX) return undefined;
  const bytes = new DataView(zip.buffer, zip.byteOffset).getUint32(22, true);
  return bytes <= zip.length - start ? zip.subarray(start, start + bytes) : undefined;
}

/** Takes a zip apart by its manifest. `wrongAt`: the first byte that is not as it must be. */
export function unpack(
  zip: Uint8Array,
  manifestBytes: Uint8Array,
  { files }: EvidenceManifest,
): { readonly files: Map<string, Uint8Array>; readonly wrongAt: number | undefined } {
  const found = new Map<string, Uint8Array>();
  const listed: ZipFile[] = [];
  let at = 0;
  let wrongAt: number | undefined;
  const expect = (bytes: Uint8Array): void => {
    const wrong = bytes.findIndex((one, n) => zip[at + n] !== one);
    if (wrong !== -1) wrongAt ??= at + wrong;
    at += bytes.length;
  };
  for (const { name, bytes } of [{ name: MANIFEST_NAME, bytes: manifestBytes.length }, ...files]) {
    const start = at + LOCAL_BYTES + name.length;
    const content = zip.subarray(start, start + bytes);
    const file = { name, bytes, crc: crc32(content) };
    listed.push(file);
    expect(localHead(file));
    at += bytes;
    found.set(name, content);
  }
  expect(zipEnd(listed));
  if (zip.length !== at) wrongAt ??= Math.min(zip.length, at);
  return { files: found, wrongAt };
}
