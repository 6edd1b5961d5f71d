import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import type * as z from "zod/mini";
import type { BackupEnd as End, BackupHead as Head, TableHead, TableEnd as TableSum } from "./format.ts";
import {
  BackupEnd,
  BackupHead,
  BackupProblem,
  END_OF_ROWS,
  FIRST_LINE,
  LINE_BYTES_MAX,
  TableBegin,
  TableEnd,
  tableName,
} from "./format.ts";

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

const NEWLINE = Buffer.from("\n");
const END = Buffer.from(END_OF_ROWS);
/** A chunk may end with so much of the end mark. */
const END_PART = END.length - 1;

/** Lines of JSON and rows of COPY out of one stream of bytes, with never more of it in memory than a line or a piece. */
class Lines {
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #hash = createHash("sha256");
  #rest: Buffer = Buffer.alloc(0);
  /** The line read last: it counts as soon as something after it is read. */
  #last: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next line, without its end. @throws BackupProblem when the stream ends before it or it has no end. */
  async line(): Promise<string> {
    this.#count();
    let at = this.#rest.indexOf(NEWLINE);
    while (at === -1) {
      if (this.#rest.length > LINE_BYTES_MAX)
        throw new BackupProblem("The backup was altered or damaged: do not use it.");
      this.#rest = Buffer.concat([this.#rest, await this.#next()]);
      at = this.#rest.indexOf(NEWLINE);
    }
    this.#last = this.#rest.subarray(0, at + 1);
    this.#rest = this.#rest.subarray(at + 1);
    return this.#last.subarray(0, at).toString("utf8");
  }

  /** Rows up to their end, in pieces of any length. */
  async *rows(): AsyncGenerator<Buffer> {
    this.#count();
    // The end is a line of its own, and so the first line may be one: it is looked for with the newline before it.
    let held = Buffer.concat([NEWLINE, this.#rest]);
    let skip = NEWLINE.length;
    for (;;) {
      const at = held.indexOf(END);
      const upTo = at === -1 ? Math.max(skip, held.length - END_PART) : at + NEWLINE.length;
      if (upTo > skip) {
        const piece = held.subarray(skip, upTo);
        this.#hash.update(piece);
        yield piece;
      }
      if (at !== -1) {
        this.#hash.update(END.subarray(NEWLINE.length));
        this.#rest = held.subarray(at + END.length);
        return;
      }
      const keepFrom = Math.max(0, held.length - END_PART);
      skip = Math.max(0, upTo - keepFrom);
      held = Buffer.concat([held.subarray(keepFrom), await this.#next()]);
    }
  }

  /** SHA-256 of everything before the line that was read last. */
  sha256Before(): string {
    return this.#hash.copy().digest("hex");
  }

  /** @throws BackupProblem when something follows the line that was read last. */
  async expectEnd(): Promise<void> {
    const more = this.#rest.length > 0 || !(await this.#pieces.next()).done;
    if (more) throw new BackupProblem("Something follows the end of the backup: do not use it.");
  }

  #count(): void {
    this.#hash.update(this.#last);
    this.#last = Buffer.alloc(0);
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#pieces.next();
    if (done) throw new BackupProblem("The backup is cut off: it ends before its end.");
    return value;
  }
}
