import { createHash } from "node:crypto";
import { OwnId } from "@longarm/contract/ids";
import { FrameClock } from "@longarm/contract/recording";
import * as z from "zod/mini";
import type { Files, OpenFile } from "../ports/files.ts";
import { lockFile, unlockFile } from "./locked-file.ts";

/** Segments of one session at most: at 2 s each more than three weeks. */
export const SEGMENTS_MAX = 1_000_000;

/** One file of a session's record, once it is whole. Times are ms by the agent's clock. */
export const Segment = z.object({
  n: z.int().check(z.gte(1), z.lte(SEGMENTS_MAX)),
  /** When its first frame was captured, and where its last one ends. */
  from: z.number(),
  to: z.number(),
  frames: z.int().check(z.gte(1)),
  /** Of the MP4, before it was encrypted. */
  bytes: z.int().check(z.gte(1)),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** Absent: it is not known any more. */
  frameClock: z.optional(FrameClock),
});
export type Segment = z.infer<typeof Segment>;

/** The file of a segment; while it is written it has another name. */
export const segmentName = (n: number): string => `${String(n).padStart(7, "0")}.seg`;
export const partName = (n: number): string => `${segmentName(n)}.part`;
const NUMBER = /^(\d{7})\.seg(\.part)?$/;

/** The number that a file's name says; undefined: it is no segment's. */
export function segmentNumber(name: string): number | undefined {
  const found = NUMBER.exec(name);
  return found === null ? undefined : Number(found[1]);
}

/** A session's folder. An id has no plus sign. */
export const sessionFolder = (playSessionId: string): string => `s-${OwnId.parse(playSessionId).replaceAll(":", "+")}`;

/** Before the MP4 of each block: where its last frame ends (ms), where its first begins, and how many frames it has. */
const BLOCK_HEAD_BYTES = 20;

type Fragment = { readonly from: number; readonly to: number; readonly frames: number; readonly bytes: Uint8Array };

/** Writes one segment; every call may reject with the system's error. Call nothing while a call is under way. */
export interface SegmentFile {
  write(fragment: Fragment): Promise<void>;
  /** Makes it durable and gives it its name. */
  seal(): Promise<Segment>;
  /** It could not be written: what is there stays for the next start. */
  abandon(): Promise<void>;
}

type SegmentFileDeps = {
  readonly files: Files;
  readonly folder: string;
  readonly sessionKey: Uint8Array;
  readonly salt: Uint8Array;
};

export async function openSegmentFile(
  { files, folder, sessionKey, salt }: SegmentFileDeps,
  n: number,
): Promise<SegmentFile> {
  const path = `${folder}/${partName(n)}`;
  const file = await files.open(path);
  const lock = lockFile(sessionKey, salt);
  const sum = createSum(n);
  await append(file, 0, lock.head);
  let length = lock.head.length;
  return {
    async write(fragment) {
      const head = Buffer.alloc(BLOCK_HEAD_BYTES);
      head.writeDoubleBE(fragment.to, 0);
      head.writeDoubleBE(fragment.from, 8);
      head.writeUInt32BE(fragment.frames, 16);
      const block = lock.block(Buffer.concat([head, fragment.bytes]));
      await append(file, length, block);
      length += block.length;
      sum.add(fragment);
    },
    async seal() {
      await file.sync();
      await file.close();
      await files.rename(path, `${folder}/${segmentName(n)}`);
      await files.syncFolder(folder);
      return sum.segment();
    },
    abandon: () => file.close(),
  };
}

const append = (file: OpenFile, at: number, bytes: Buffer): Promise<void> => file.write(bytes, at);

function createSum(n: number) {
  const hash = createHash("sha256");
  let from: number | undefined;
  const figures = { to: 0, frames: 0, bytes: 0 };
  return {
    add(fragment: Fragment): void {
      from ??= fragment.from;
      figures.to = fragment.to;
      figures.frames += fragment.frames;
      figures.bytes += fragment.bytes.length;
      hash.update(fragment.bytes);
    },
    segment: (): Segment => ({ n, from: from ?? 0, ...figures, sha256: hash.digest("hex") }),
  };
}

/** What a file holds, up to its last whole block; undefined: nothing that can be read. */
export function readSegment(
  sessionKey: Uint8Array,
  n: number,
  file: Buffer,
): { segment: Segment; mp4: Buffer } | undefined {
  const unlocked = unlockFile(sessionKey, file);
  const blocks = unlocked?.blocks.filter(({ length }) => length > BLOCK_HEAD_BYTES) ?? [];
  if (blocks.length === 0) return undefined;
  const sum = createSum(n);
  const parts = blocks.map((block) => {
    const bytes = block.subarray(BLOCK_HEAD_BYTES);
    sum.add({ to: block.readDoubleBE(0), from: block.readDoubleBE(8), frames: block.readUInt32BE(16), bytes });
    return bytes;
  });
  return { segment: sum.segment(), mp4: Buffer.concat(parts) };
}
