import { crc32 } from "node:zlib";

/** The longest line the journal writes or reads, bytes. */
export const LINE_BYTES_MAX = 65_536;

const LINE = /^([0-9a-f]{8}) (\d{1,15}) (.*)$/s;

/**
 * One record as a line: checksum, how many bytes of the file were known to be durable when it was written, JSON. The second
 * number distinguishes a torn tail (normal after a crash) from damage to durable bytes (never normal). @throws Error for a record that is too long.
 */
export function encodeLine(durableBytes: number, json: string): string {
  const body = `${durableBytes} ${json}`;
  const line = `${checksum(body)} ${body}\n`;
  if (Buffer.byteLength(line) > LINE_BYTES_MAX) throw new Error("A record is too long for the journal.");
  return line;
}

/** Undefined: the line is not whole. */
export function decodeLine(line: string): { durableBytes: number; json: string } | undefined {
  const match = LINE.exec(line);
  if (match === null) return undefined;
  const [, sum, durable, json] = match;
  if (sum === undefined || durable === undefined || json === undefined) return undefined;
  return checksum(`${durable} ${json}`) === sum ? { durableBytes: Number(durable), json } : undefined;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

/** What was durable has changed under us; the agent must not guess which promises it made. */
export class JournalDamaged extends Error {
  override readonly name = "JournalDamaged";
}

/** Reads whole lines. `goodBytes`: where the whole ones end; anything behind it is a torn tail that was never promised. */
export function readLines(bytes: Buffer): { lines: string[]; goodBytes: number } {
  const lines: string[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const next = lineAt(bytes, offset);
    if (next.json === undefined) {
      refuseDamage(bytes, offset);
      break;
    }
    lines.push(next.json);
    offset = next.end;
  }
  return { lines, goodBytes: offset };
}

function refuseDamage(bytes: Buffer, badAt: number): void {
  let offset = lineAt(bytes, badAt).end;
  while (offset < bytes.length) {
    const later = lineAt(bytes, offset);
    if (later.json !== undefined && later.durableBytes > badAt) {
      throw new JournalDamaged(`byte ${badAt} lies in a part that had been written safely`);
    }
    offset = later.end;
  }
}

type FoundLine = { end: number; json: string | undefined; durableBytes: number };

function lineAt(bytes: Buffer, offset: number): FoundLine {
  const newline = bytes.indexOf(0x0a, offset);
  if (newline === -1) return { end: bytes.length, json: undefined, durableBytes: 0 };
  const end = newline + 1;
  if (newline - offset > LINE_BYTES_MAX) return { end, json: undefined, durableBytes: 0 };
  const line = decodeLine(bytes.toString("utf8", offset, newline));
  return { end, json: line?.json, durableBytes: line?.durableBytes ?? 0 };
}
