import { createHash } from "node:crypto";
import type { Files, OpenFile } from "../../../ports/files.ts";

/** A machine's memory is damaged or out of reach; the sentence says which file and what to do. */
export class MemoryFault extends Error {
  override readonly name = "MemoryFault";
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** A line with its checksum in front. */
export const sealed = (text: string): string => `${digest(text)} ${text}\n`;

/** The text behind its checksum, or null when the line is torn or damaged. */
export function unsealed(line: string): string | null {
  const text = line.slice(17);
  return line[16] === " " && digest(text) === line.slice(0, 16) ? text : null;
}

/** An append-only file of sealed lines. */
export type LogFile = {
  readonly file: string;
  lines(): number;
  /** On the disk when it resolves. Rejects with `MemoryFault`; then the line is not in the file. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
};

/** Goes on writing a file that holds `size` bytes in `lines` lines. */
export function logFile(file: string, handle: OpenFile, size = 0, lines = 0): LogFile {
  let [bytes, count] = [size, lines];
  let broken: MemoryFault | null = null;
  return {
    file,
    lines: () => count,
    async append(text) {
      if (broken !== null) throw broken;
      const line = Buffer.from(sealed(text));
      if ((await handle.size()) !== bytes) {
        throw new MemoryFault(`${file} was changed by somebody else: run one agent per folder.`);
      }
      try {
        await handle.write(line, bytes);
        await handle.sync();
      } catch (error) {
        const sentence = `${file} cannot be written: ${(error as Error).message}. Make room, then try again.`;
        const fault = new MemoryFault(sentence, { cause: error });
        // Whether a failed write reached the disk cannot be known: cut it off, and if that fails too, believe nothing more.
        await cutTo(handle, bytes).catch(() => {
          broken = fault;
        });
        throw fault;
      }
      bytes += line.length;
      count += 1;
    },
    close: () => handle.close(),
  };
}

async function cutTo(handle: OpenFile, size: number): Promise<void> {
  await handle.truncate(size);
  await handle.sync();
}

/** Reads all lines; a torn last one was never acknowledged and is cut off, damage before it is a fault. Answers the size kept. */
export async function replayLog(
  files: Files,
  file: string,
  handle: OpenFile,
  each: (text: string) => void,
): Promise<{ size: number; lines: number }> {
  const bytes = (await files.read(file)) ?? Buffer.alloc(0);
  let [size, lines] = [0, 0];
  while (size < bytes.length) {
    const end = bytes.indexOf(0x0a, size);
    const text = end < 0 ? null : unsealed(bytes.subarray(size, end).toString("utf8"));
    if (text === null) {
      if (end < 0 || end + 1 === bytes.length) break;
      throw new MemoryFault(
        `${file} is damaged in line ${lines + 1}: restore it from a copy, or settle the machine by hand and remove its folder.`,
      );
    }
    each(text);
    size = end + 1;
    lines += 1;
  }
  if (size < bytes.length) await cutTo(handle, size);
  return { size, lines };
}
