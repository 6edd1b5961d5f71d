import { createHash } from "node:crypto";
import { OwnId } from "@longarm/contract/ids";
import * as z from "zod/mini";
import { MachineReport } from "../journal/records.ts";
import type { Files, OpenFile } from "../ports/files.ts";
import { Segment } from "./segment.ts";

/*
 * What a record says beside its picture: JSON lines, each sealed line chained to the one before it. Times (`at`) are ms by the agent's clock, which
 * never goes back while its process lives; `wall` is the computer's own, which may be set. The lines are not encrypted: they say nothing that the
 * journal does not say.
 */

export const INDEX_NAME = "index.jsonl";
/** A longer line is not read, bytes. */
const LINE_BYTES_MAX = 65_536;
/** A longer index is not read, bytes: some weeks of play without a pause. */
const INDEX_BYTES_MAX = 256 * 1024 * 1024;

const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const Count = z.int().check(z.gte(0));
const Time = z.number();
const Word = z.string().check(z.maxLength(200));

/** Closes the lines since the sealed line before it. Its own hash is in the next one. */
const Sealed = z.object({
  t: z.literal("sealed"),
  at: Time,
  wall: Time,
  /** Grows by one, from 1. */
  link: z.int().check(z.gte(1)),
  /** The segment that was made meanwhile; null: none. */
  segment: z.nullable(Segment),
  /** Hash of all bytes since the sealed line before. */
  lines: Sha256,
  /** Hash of the sealed line before, without its newline; the first: zeros. */
  prev: Sha256,
});

export const IndexLine = z.discriminatedUnion("t", [
  z.object({ t: z.literal("begin"), at: Time, wall: Time, v: z.literal(1), machine: OwnId, session: OwnId }),
  /** The seat has this epoch from now on; also the first line of each start of the agent. */
  z.object({ t: z.literal("seat"), at: Time, wall: Time, epoch: Count }),
  z.object({ t: z.literal("event"), at: Time, report: MachineReport }),
  /** A press, when it arrived and when it was answered; without `outcome` the machine was silent. */
  z.object({
    t: z.literal("press"),
    at: Time,
    doneAt: Time,
    epoch: Count,
    seq: Count,
    button: Word,
    outcome: z.optional(Word),
    reason: z.optional(Word),
  }),
  z.object({ t: z.literal("problem"), at: Time, why: z.string().check(z.maxLength(500)) }),
  z.object({ t: z.literal("end"), at: Time }),
  Sealed,
]);
export type IndexLine = z.infer<typeof IndexLine>;
type SealedLine = z.infer<typeof Sealed>;

/** Lines that the agent writes; sealed ones are made here. */
export type FreshLine = Exclude<IndexLine, SealedLine>;

/** The newest sealed line: its number, and the hash that the next one carries. */
export type Head = { readonly links: number; readonly head: string };

const NOTHING: Head = { links: 0, head: "0".repeat(64) };

/** The lines between two sealed ones, with the closing one; `sealed` undefined: they wait for it. */
export type Block = {
  readonly bytes: Buffer;
  readonly lines: readonly IndexLine[];
  readonly sealed: SealedLine | undefined;
};

/** A whole index. A torn last line is left out, and one that cannot be read counts only for the hash. */
export type ReadIndex = { readonly blocks: readonly Block[]; readonly head: Head; readonly wholeBytes: number };

export function readIndex(file: Buffer): ReadIndex {
  const blocks: Block[] = [];
  let head = NOTHING;
  let lines: IndexLine[] = [];
  let [from, at] = [0, 0];
  for (let end = file.indexOf(0x0a); end !== -1; end = file.indexOf(0x0a, at)) {
    const text = file.subarray(at, end);
    at = end + 1;
    const line = parse(text);
    if (line !== undefined) lines.push(line);
    if (line?.t !== "sealed") continue;
    head = { links: line.link, head: sha256(text) };
    blocks.push({ bytes: file.subarray(from, at), lines, sealed: line });
    lines = [];
    from = at;
  }
  if (from < at) blocks.push({ bytes: file.subarray(from, at), lines, sealed: undefined });
  return { blocks, head, wholeBytes: at };
}

/** What of a clip proves where its blocks is: every sealed line of the session. */
export function sealedLines(index: ReadIndex): Buffer {
  return Buffer.concat(index.blocks.flatMap(({ bytes, sealed }) => (sealed === undefined ? [] : [lastLine(bytes)])));
}

function lastLine(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.lastIndexOf(0x0a, bytes.length - 2) + 1);
}

function parse(text: Buffer): IndexLine | undefined {
  if (text.length > LINE_BYTES_MAX) return undefined;
  try {
    const parsed = IndexLine.safeParse(JSON.parse(text.toString("utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** An index that is being written, by its only writer. */
export interface IndexFile {
  /** The segments that it has, and the newest sealed line. */
  readonly segments: ReadonlySet<number>;
  head(): Head;
  /** Whether it had lines before. */
  readonly isNew: boolean;
  add(line: FreshLine): void;
  /** Closes what was added since the last time. Resolves when all of it is durable. */
  seal(at: { readonly at: number; readonly wall: number }, segment: Segment | null): Promise<void>;
  close(): Promise<void>;
}

/** `failed`: the disk takes nothing more; what was added since is lost, and the file is to be opened anew. */
export async function openIndexFile(
  files: Files,
  folder: string,
  failed: (error: unknown) => void,
): Promise<IndexFile> {
  const path = `${folder}/${INDEX_NAME}`;
  const before = (await files.read(path)) ?? Buffer.alloc(0);
  if (before.length > INDEX_BYTES_MAX) throw new Error(`The index ${path} is too long.`);
  const read = readIndex(before);
  const file = await files.open(path);
  await file.truncate(read.wholeBytes);
  const open = read.blocks.at(-1);
  const pending = open !== undefined && open.sealed === undefined ? open.bytes : Buffer.alloc(0);
  const segments = new Set(read.blocks.flatMap(({ sealed }) => sealed?.segment?.n ?? []));
  const append = createAppender(file, read.wholeBytes, failed);
  let hash = createHash("sha256").update(pending);
  let unsealed = pending.length;
  let head = read.head;

  return {
    ...{ segments, head: () => head, isNew: read.wholeBytes === 0 },
    add(line) {
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
      hash.update(bytes);
      unsealed += bytes.length;
      void append.write(bytes);
    },
    async seal(now, segment) {
      if (segment === null && unsealed === 0) return;
      const link = head.links + 1;
      const sealed: SealedLine = { t: "sealed", ...now, link, segment, lines: hash.digest("hex"), prev: head.head };
      const text = Buffer.from(JSON.stringify(sealed));
      head = { links: link, head: sha256(text) };
      hash = createHash("sha256");
      unsealed = 0;
      if (segment !== null) segments.add(segment.n);
      await append.write(Buffer.concat([text, Buffer.from("\n")]));
      await append.sync();
    },
    close: append.close,
  };
}

/** Writes in order and fails once. */
function createAppender(file: OpenFile, length: number, failed: (error: unknown) => void) {
  let at = length;
  let last: Promise<void> = Promise.resolve();
  let broken = false;
  const next = (run: () => Promise<void>): Promise<void> => {
    last = last
      .then(async () => {
        if (!broken) await run();
      })
      .catch((error: unknown) => {
        broken = true;
        failed(error);
      });
    return last;
  };
  return {
    write(bytes: Buffer): Promise<void> {
      const position = at;
      at += bytes.length;
      return next(() => file.write(bytes, position));
    },
    sync: () => next(() => file.sync()),
    async close(): Promise<void> {
      await last;
      await file.close();
    },
  };
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
