import type { ClipManifest } from "@longarm/contract/recording";
import { readTimeCode, timeCodeDistance } from "@longarm/reels/picture/reading/time-code";
import { readSegment } from "@longarm/ui/clip/segment.ts";
import { decodeClip } from "../../apps/agent/src/testing/decode-clip.ts";
import type { TestVenue } from "./test-venue.ts";

type Segment = ClipManifest["segments"][number];
type KeptClip = { readonly id: string; readonly manifest: ClipManifest };

/** The only clip that the venue's platform keeps. */
export async function keptClip(venue: TestVenue): Promise<KeptClip> {
  const clips =
    "select coalesce(json_agg(json_build_object('id', id, 'manifest', manifest)), '[]')::text as answer from clip";
  const [clip, ...others] = JSON.parse(String(await venue.ask(clips))) as KeptClip[];
  if (clip === undefined || others.length > 0) throw new Error(`There are ${others.length} other clips, or none.`);
  return clip;
}

/** The file of one segment of a clip. */
async function segmentFile(venue: TestVenue, clip: KeptClip, { name }: Segment): Promise<Buffer<ArrayBuffer>> {
  const part = `select encode(bytes, 'base64') as answer from clip_part where clip_id = '${clip.id}' and name = '${name}'`;
  return Buffer.from(String(await venue.ask(part)), "base64");
}

/** What a replay shows at a moment: when the last frame was taken that was there by then, ms by the agent's clock. */
export async function frameShownAt(venue: TestVenue, ms: number): Promise<number> {
  const clip = await keptClip(venue);
  const times: number[] = [];
  for (const segment of clip.manifest.segments) {
    const { buffer, byteOffset, length } = await segmentFile(venue, clip, segment);
    const { frames } = readSegment(buffer.slice(byteOffset, byteOffset + length));
    times.push(...frames.map(({ atMs }) => segment.fromMs + atMs));
  }
  // Times are rounded in the file.
  return times.findLast((at) => at <= ms + 0.5) ?? times[0] ?? Number.NaN;
}

/** Each frame of a clip: when the index says that it was taken, and how far the time code that the machine painted is from that; undefined: unreadable. */
export async function paintedFrames(venue: TestVenue, clip: KeptClip) {
  const all: { readonly at: number; readonly keyFrame: boolean; readonly off: number | undefined }[] = [];
  for (const segment of clip.manifest.segments) {
    const { frames } = await decodeClip(await segmentFile(venue, clip, segment));
    for (const { atMs, keyFrame, ...picture } of frames) {
      const at = segment.fromMs + atMs;
      const code = readTimeCode({ ...picture, layout: "i420" });
      all.push({ at, keyFrame, off: code === null ? undefined : timeCodeDistance(code, at) });
    }
  }
  return all;
}
