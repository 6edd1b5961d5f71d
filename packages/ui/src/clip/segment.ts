/*
 * Segments of a recording as the agent writes them (`apps/agent/src/recording/mp4.ts`): one track of video, one of sound or none, in fragments.
 * Read here for what a player of media does not report: which frames there are, and when each was taken.
 */

/** One frame of a segment: when it was taken, ms from the segment's begin, and where its bytes lie. */
export type SegmentFrame = {
  readonly atMs: number;
  readonly keyFrame: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

export type SegmentFacts = {
  readonly codec: "h264" | "vp8";
  /** As a browser calls it: `video/mp4; codecs="avc1.42e01f,opus"`. */
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly frames: readonly SegmentFrame[];
  /** When its last frame ends, ms from its begin. */
  readonly endMs: number;
};

const VIDEO_TRACK = 1;
const VIDEO_TICKS = 90_000;
/** Bit of a sample's flags: it needs others. */
const NO_KEY_FRAME = 0x00010000;
/** More fragments or frames than any segment has. */
const BOXES_MAX = 4_000;
const FRAMES_MAX = 20_000;
/** No segment is as long. */
const SEGMENT_MS_MAX = 3_600_000;

type Box = { readonly type: string; readonly at: number; readonly end: number };

/** Reads a segment. @throws Error: it is damaged, or none of ours. */
export function readSegment(file: ArrayBuffer): SegmentFacts {
  const view = new DataView(file);
  const top = boxesIn(view, 0, file.byteLength);
  const moov = boxesIn(view, ...insideOf(one(top, "moov")));
  const video = moov.find(({ type }) => type === "trak");
  if (video === undefined) throw new Error("The segment has no track.");
  const described = describe(view, video);
  const hasSound = moov.filter(({ type }) => type === "trak").length > 1;
  const frames: SegmentFrame[] = [];
  let endMs = 0;
  for (const moof of top.filter(({ type }) => type === "moof")) {
    const traf = boxesIn(view, ...insideOf(moof)).find(
      (box) =>
        box.type === "traf" && view.getUint32(one(boxesIn(view, ...insideOf(box)), "tfhd").at + 12) === VIDEO_TRACK,
    );
    if (traf !== undefined) endMs = readRun(view, moof, traf, frames);
  }
  if (frames.length === 0) throw new Error("The segment has no frame.");
  const { codec, name, width, height } = described;
  return { codec, type: `video/mp4; codecs="${name}${hasSound ? ",opus" : ""}"`, width, height, frames, endMs };
}

/** The frames of one fragment; answers when the last of them ends, ms. */
function readRun(view: DataView<ArrayBuffer>, moof: Box, traf: Box, frames: SegmentFrame[]): number {
  const parts = boxesIn(view, ...insideOf(traf));
  let ticks = Number(view.getBigUint64(one(parts, "tfdt").at + 12));
  const run = one(parts, "trun").at;
  const count = view.getUint32(run + 12);
  if (frames.length + count > FRAMES_MAX) throw new Error("The segment has too many frames.");
  let from = moof.at + view.getInt32(run + 16);
  const last = frames.at(-1);
  let before = last?.atMs ?? 0;
  const behind = Math.max(moof.end, last === undefined ? 0 : last.bytes.byteOffset + last.bytes.byteLength);
  for (let n = 0; n < count; n += 1) {
    const at = run + 20 + 12 * n;
    const size = view.getUint32(at + 4);
    const keyFrame = (view.getUint32(at + 8) & NO_KEY_FRAME) === 0;
    const atMs = msOf(ticks);
    // Frames lie one behind the other, in time and in the file: bytes that are shared would be copied without an end.
    if (atMs < before || from < behind) throw new Error("The segment is damaged.");
    before = atMs;
    frames.push({ atMs, keyFrame, bytes: new Uint8Array(view.buffer, from, size) });
    from += size;
    ticks += view.getUint32(at);
  }
  if (msOf(ticks) > SEGMENT_MS_MAX) throw new Error("The segment is too long.");
  return msOf(ticks);
}

const msOf = (ticks: number): number => (ticks * 1_000) / VIDEO_TICKS;

/** Codec and size of the video, from its sample description. */
function describe(view: DataView, trak: Box) {
  const into = (box: Box, type: string): Box => one(boxesIn(view, ...insideOf(box)), type);
  const stsd = into(into(into(into(trak, "mdia"), "minf"), "stbl"), "stsd");
  const [entry] = boxesIn(view, stsd.at + 16, stsd.end);
  if (entry === undefined) throw new Error("The segment does not say what it is.");
  const [width, height] = [view.getUint16(entry.at + 32), view.getUint16(entry.at + 34)];
  if (entry.type === "vp08") return { codec: "vp8" as const, name: "vp08.00.10.08", width, height };
  const configuration = one(boxesIn(view, entry.at + 86, entry.end), "avcC").at + 8;
  const profile = [1, 2, 3].map((n) =>
    view
      .getUint8(configuration + n)
      .toString(16)
      .padStart(2, "0"),
  );
  return { codec: "h264" as const, name: `avc1.${profile.join("")}`, width, height };
}

const insideOf = ({ at, end }: Box): [number, number] => [at + 8, end];

function one(boxes: readonly Box[], type: string): Box {
  const found = boxes.find((box) => box.type === type);
  if (found === undefined) throw new Error(`The segment has no ${type}.`);
  return found;
}

function boxesIn(view: DataView, from: number, end: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= end; ) {
    const size = view.getUint32(at);
    if (size < 8 || at + size > end || boxes.length >= BOXES_MAX) throw new Error("The segment is damaged.");
    const type = String.fromCharCode(...[4, 5, 6, 7].map((n) => view.getUint8(at + n)));
    boxes.push({ type, at, end: at + size });
    at += size;
  }
  return boxes;
}
