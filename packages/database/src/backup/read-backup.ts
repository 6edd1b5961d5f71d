import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import type * as z from "zod/mini";
import type { BackupEnd as End, BackupHead as Head, TableHead, TableEnd as TableSum } from "./format.ts";
import { BackupEnd, BackupHead, BackupProblem, FIRST_LINE, TableBegin, TableEnd, tableName } from "./format.ts";
import { Lines } from "./lines.ts";

export type BackupReader = {
  /** What the file says it holds, before any row. */
  head?(head: Head): Promise<void>;
  /** The rows of a table as they come; all of them must be read. */
  rows?(table: TableHead, rows: AsyncIterable<Buffer>): Promise<void>;
  /** The table's rows were what the file says of them. */
  table?(table: TableHead, sum: TableSum): Promise<void>;
};

export type ReadBackup = {
  readonly head: Head;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
};

/**
 * Reads a backup from its first byte to its last and holds it to its own sums. Nothing of it is trusted: memory does not grow with the file.
 * @throws BackupProblem when it is no backup, of a newer program, cut off or altered; and what the reader throws.
 */
export async function readBackup(file: string, reader: BackupReader = {}): Promise<ReadBackup> {
  await checkFirstLine(file);
  const hash = createHash("sha256");
  let bytes = 0;
  let found: { head: Head; end: End } | undefined;
  try {
    await pipeline(
      createReadStream(file),
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          hash.update(piece);
          const skip = Math.min(piece.length, Math.max(0, FIRST_LINE.length - bytes));
          bytes += piece.length;
          if (skip < piece.length) yield piece.subarray(skip);
        }
      },
      createZstdDecompress(),
      async (pieces: AsyncIterable<Buffer>) => {
        found = await readStream(new Lines(pieces), reader);
      },
    );
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code.startsWith("ZSTD_") || code === "Z_BUF_ERROR")
      throw new BackupProblem(`${file} is cut off or damaged: it cannot be unpacked.`, { cause: error });
    throw error;
  }
  if (found === undefined) throw new BackupProblem(`${file} is cut off.`);
  return { head: found.head, rows: found.end.rows, bytes, sha256: hash.digest("hex") };
}

async function checkFirstLine(file: string): Promise<void> {
  const handle = await open(file).catch((error: Error) => {
    throw new BackupProblem(`${file} cannot be read: ${error.message}`, { cause: error });
  });
  try {
    const start = Buffer.alloc(64);
    const { bytesRead } = await handle.read(start, 0, start.length, 0).catch((error: Error) => {
      throw new BackupProblem(`${file} cannot be read: ${error.message}`, { cause: error });
    });
    const text = start.subarray(0, bytesRead).toString("latin1");
    if (text.startsWith(FIRST_LINE)) return;
    const version = /^LONGARM BACKUP (\d+) /.exec(text)?.[1];
    if (version !== undefined)
      throw new BackupProblem(`${file} is a backup of another version (${version}): use the Longarm that made it.`);
    throw new BackupProblem(`${file} is no backup of a Longarm.`);
  } finally {
    await handle.close();
  }
}

async function readStream(lines: Lines, reader: BackupReader): Promise<{ head: Head; end: End }> {
  const head = parsed(BackupHead, await lines.line(), "head");
  await reader.head?.(head);
  let total = 0;
  for (const table of head.tables) {
    const name = tableName(table);
    if (parsed(TableBegin, await lines.line(), name).table !== name) throw altered(name);
    const counted = countedRows(lines.rows());
    if (reader.rows === undefined) for await (const _piece of counted.pieces);
    else await reader.rows(table, counted.pieces);
    const sum = parsed(TableEnd, await lines.line(), name);
    if (sum.rows !== counted.rows() || sum.sha256 !== counted.sha256()) throw altered(name);
    total += sum.rows;
    await reader.table?.(table, sum);
  }
  const end = parsed(BackupEnd, await lines.line(), "end");
  if (end.rows !== total || end.sha256 !== lines.sha256Before()) throw altered("the whole");
  await lines.expectEnd();
  return { head, end };
}

function countedRows(pieces: AsyncIterable<Buffer>) {
  const hash = createHash("sha256");
  let rows = 0;
  return {
    pieces: (async function* () {
      for await (const piece of pieces) {
        hash.update(piece);
        for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) rows += 1;
        yield piece;
      }
    })(),
    rows: () => rows,
    sha256: () => hash.digest("hex"),
  };
}

function parsed<T extends z.ZodMiniType>(schema: T, line: string, what: string): z.infer<T> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw altered(what, error);
  }
  const read = schema.safeParse(value);
  if (!read.success) throw altered(what, read.error);
  return read.data;
}

const altered = (what: string, cause?: unknown): BackupProblem =>
  new BackupProblem(`The backup was altered or damaged (${what.slice(0, 130)}): do not use it.`, { cause });
