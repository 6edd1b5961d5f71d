import { createHash } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import type { ClientBase } from "pg";
import { to as copyTo } from "pg-copy-streams";
import type { BackupHead, TableEnd, TableHead } from "./format.ts";
import { BACKUP_FORMAT, BackupProblem, END_OF_ROWS, FIRST_LINE, tableName } from "./format.ts";
import type { Query } from "./transaction.ts";
import {
  fingerprintOf,
  inTransaction,
  queryOf,
  quoted,
  quotedTable,
  readApplied,
  readSequences,
  readTables,
} from "./transaction.ts";

export type WriteBackup = {
  /** `postgres://…` of the database. */
  readonly url: string;
  /** Must not be there yet. It appears whole or not at all: until then it is `<file>.part`. */
  readonly file: string;
  /** What the owner of the tables wants to find again; read in the backup's own snapshot. */
  readonly about: (query: Query) => Promise<Record<string, unknown>>;
  /** A table is in the file. */
  readonly wrote?: (table: string, rows: number) => void;
};

export type Written = {
  readonly head: BackupHead;
  readonly rows: number;
  /** Of the finished file, bytes. */
  readonly bytes: number;
  /** Of the finished file: what to keep elsewhere. */
  readonly sha256: string;
};

/** Pieces that go into the compressor at once, bytes: each one costs a wake-up of its thread. */
const PIECE_BYTES = 256 * 1024;

/**
 * Copies everything into a file, as it was at one moment, while others go on working: one read-only snapshot. Memory does not grow with
 * the tables. The file may be read by its owner alone: it holds keys and hashes of passwords.
 * @throws BackupProblem when the file cannot be made.
 */
export async function writeBackup({ url, file, about, wrote }: WriteBackup): Promise<Written> {
  return await inTransaction({ url, name: "longarm backup", how: SNAPSHOT }, async (client) => {
    const head = await readHead(client, about);
    const counter = { rows: 0 };
    const written = await intoFile(file, linesOf(client, head, counter, wrote));
    return { head, rows: counter.rows, ...written };
  });
}

const SNAPSHOT = "isolation level repeatable read read only";

async function readHead(client: ClientBase, about: WriteBackup["about"]): Promise<BackupHead> {
  const { rows } = await client.query<{ now: Date; server: string; encoding: string }>(
    "select now(), current_setting('server_version') as server, current_setting('server_encoding') as encoding",
  );
  const [now] = rows;
  if (now?.encoding !== "UTF8") throw new BackupProblem("The database is not in UTF8: it cannot be backed up.");
  const tables = await readTables(client);
  // A migration would have to wait; reading and writing rows does not.
  if (tables.length > 0) await client.query(`lock table ${tables.map(quotedTable).join(", ")} in access share mode`);
  return {
    format: BACKUP_FORMAT,
    takenAt: now.now.toISOString(),
    server: now.server,
    migrations: await readApplied(client),
    tables,
    sequences: await readSequences(client),
    about: await about(queryOf(client)),
  };
}

async function* linesOf(
  client: ClientBase,
  head: BackupHead,
  counter: { rows: number },
  wrote: WriteBackup["wrote"],
): AsyncGenerator<Buffer> {
  const whole = createHash("sha256");
  const line = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
  function* noted(piece: Buffer): Generator<Buffer> {
    whole.update(piece);
    yield piece;
  }
  yield* noted(line(head));
  for (const table of head.tables) {
    yield* noted(line({ table: tableName(table) }));
    const own = createHash("sha256");
    let rows = 0;
    for await (const piece of rowsOf(client, table)) {
      own.update(piece);
      rows += countLines(piece);
      yield* noted(piece);
    }
    yield* noted(Buffer.from(END_OF_ROWS.slice(1)));
    const counted = await fingerprintOf(client, table);
    if (counted.rows !== rows) throw new BackupProblem(`${tableName(table)} was not read whole: try again.`);
    yield* noted(line({ rows, sha256: own.digest("hex"), fingerprint: counted.fingerprint } satisfies TableEnd));
    counter.rows += rows;
    wrote?.(tableName(table), rows);
  }
  yield line({ end: true, rows: counter.rows, sha256: whole.digest("hex") });
}

async function* rowsOf(client: ClientBase, table: TableHead): AsyncGenerator<Buffer> {
  const columns = table.columns.map(quoted).join(", ");
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of client.query(copyTo(`copy ${quotedTable(table)} (${columns}) to stdout`))) {
    waiting.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

function countLines(piece: Buffer): number {
  let lines = 0;
  for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines += 1;
  return lines;
}

async function intoFile(file: string, lines: AsyncIterable<Buffer>): Promise<{ bytes: number; sha256: string }> {
  const path = resolve(file);
  if (await isThere(path)) throw new BackupProblem(`${path} is there already: name another file.`);
  const part = `${path}.part`;
  const handle = await open(part, "wx", 0o600).catch((error: unknown) => {
    throw new BackupProblem(sentenceOf(part, error), { cause: error });
  });
  const hash = createHash("sha256").update(FIRST_LINE);
  let bytes = FIRST_LINE.length;
  try {
    await handle.appendFile(FIRST_LINE);
    await pipeline(
      Readable.from(lines, { objectMode: false }),
      createZstdCompress(),
      async (pieces: AsyncIterable<Buffer>) => {
        for await (const piece of pieces) {
          hash.update(piece);
          bytes += piece.length;
          await handle.appendFile(piece);
        }
      },
    );
    await handle.sync();
    await handle.close();
    await rename(part, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(part, { force: true });
    if (isOfFiles(error)) throw new BackupProblem(sentenceOf(part, error), { cause: error });
    throw error;
  }
  return { bytes, sha256: hash.digest("hex") };
}

async function isThere(path: string): Promise<boolean> {
  return await open(path).then(
    (handle) => handle.close().then(() => true),
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
}

/** The name must be as durable as what it names. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const isOfFiles = (error: unknown): boolean =>
  typeof (error as NodeJS.ErrnoException).syscall === "string" &&
  (error as NodeJS.ErrnoException).code !== "ECONNRESET";

function sentenceOf(part: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EEXIST")
    return `${part} is there: another backup to this file runs, or one was cut off. Remove it when no backup runs.`;
  if (code === "ENOSPC" || code === "EDQUOT") return `No space is left for ${part}.`;
  return `${part} cannot be written: ${message}`;
}
