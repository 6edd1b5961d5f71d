import type { ClipGap, ClipManifest, ClipPart, ClipRequest } from "@longarm/contract/recording";
import { CLIP_PART_BYTES_MAX, CLIP_SEGMENTS_MAX } from "@longarm/contract/recording";
import type * as z from "zod/mini";
import type { Files } from "../ports/files.ts";
import type { Block, IndexLine } from "./index-file.ts";
import { INDEX_NAME, readIndex, sealedLines, sha256 } from "./index-file.ts";
import type { Segment } from "./segment.ts";
import { readSegment, segmentName } from "./segment.ts";

/** A distance between two segments that is a gap, ms: less is the distance of two frames. */
const GAP_MS = 1_000;
/** What a clip has before and after the wished time, ms. */
const MARGIN_MS = 1_000;

export type WantedClip = z.infer<typeof ClipRequest>;

/** Where a session lies, and its key. */
export interface ClipDeps {
  readonly files: Files;
  readonly folder: string;
  readonly sessionKey: Uint8Array;
  /** Puts one part to the platform; rejects with a sentence. */
  readonly put: (name: string, bytes: Buffer) => Promise<void>;
}

/** Uploads the parts of a clip that the platform has not, and gives what the clip consists of. Whatever is read is checked against the index. */
export async function uploadClip(deps: ClipDeps, { fromMs, toMs, have }: WantedClip): Promise<ClipManifest> {
  const index = readIndex((await deps.files.read(`${deps.folder}/${INDEX_NAME}`)) ?? Buffer.alloc(0));
  const [from, to] = [fromMs - MARGIN_MS, toMs + MARGIN_MS];
  const blocks = index.blocks.filter((block) => touches(block, from, to));
  const wanted = blocks.flatMap(({ sealed }) => sealed?.segment ?? []).slice(0, CLIP_SEGMENTS_MAX);
  const segments: ClipManifest["segments"] = [];
  for (const segment of wanted.filter((one) => one.to > from && one.from < to)) {
    const name = `${String(segment.n).padStart(7, "0")}.mp4`;
    const mp4 = await readWhole(deps, segment);
    if (mp4 === undefined) continue;
    if (!have.includes(name)) await deps.put(name, mp4);
    const { n: number, from, to, frames, bytes, frameClock } = segment;
    segments.push({ ...{ name, number, fromMs: from, toMs: to, frames, bytes, frameClock }, sha256: segment.sha256 });
  }
  const whole = blocks.filter(({ sealed }) => sealed !== undefined);
  return {
    segments,
    index: await putPart(deps, "index.jsonl", Buffer.concat(whole.map(({ bytes }) => bytes))),
    chain: await putPart(deps, "chain.jsonl", sealedLines(index)),
    gaps: gapsOf(
      segments,
      { fromMs, toMs },
      blocks.flatMap(({ lines }) => lines),
    ),
  };
}

/** Whether a sealed line covers this moment already: what is being written now is not uploaded. */
export function isCovered(file: Buffer, toMs: number): boolean {
  return readIndex(file).blocks.some(
    ({ sealed }) => sealed !== undefined && sealed.at > toMs && (sealed.segment === null || sealed.segment.to > toMs),
  );
}

function touches({ lines, sealed }: Block, from: number, to: number): boolean {
  const times = lines.map(({ at }) => at);
  if (sealed?.segment) times.push(sealed.segment.from, sealed.segment.to);
  return Math.max(...times) >= from && Math.min(...times) <= to;
}

/** Undefined: it was removed, or is not what the index says any more. */
async function readWhole(
  { files, folder, sessionKey }: ClipDeps,
  { n, sha256: sum }: Segment,
): Promise<Buffer | undefined> {
  const file = await files.read(`${folder}/${segmentName(n)}`);
  const mp4 = file && readSegment(sessionKey, n, file)?.mp4;
  return mp4 !== undefined && mp4.length <= CLIP_PART_BYTES_MAX && sha256(mp4) === sum ? mp4 : undefined;
}

async function putPart({ put }: ClipDeps, name: string, bytes: Buffer): Promise<ClipPart> {
  await put(name, bytes);
  return { name, bytes: bytes.length, sha256: sha256(bytes) };
}

/** Where the wished time has no picture. */
function gapsOf(
  segments: ClipManifest["segments"],
  { fromMs, toMs }: Pick<WantedClip, "fromMs" | "toMs">,
  lines: readonly IndexLine[],
): ClipGap[] {
  const gaps: ClipGap[] = [];
  let at = fromMs;
  for (const segment of [...segments, { fromMs: toMs, toMs }]) {
    if (segment.fromMs - at > GAP_MS) {
      const problem = lines.findLast(
        (line) => line.t === "problem" && line.at >= at - GAP_MS && line.at <= segment.fromMs + GAP_MS,
      );
      gaps.push({
        fromMs: at,
        toMs: segment.fromMs,
        why: problem?.t === "problem" ? problem.why : "nothing is kept of this time",
      });
    }
    at = Math.max(at, segment.toMs);
  }
  return gaps;
}
