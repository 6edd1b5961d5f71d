import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { frameAt, playClip } from "./play-clip.ts";
import { readSegment } from "./segment.ts";
import { asWebm } from "./webm.ts";

/* Segments as the agent writes them, and what an enemy could make of them: a page neither hangs nor takes more memory than the file. */

const bytesOf = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => [...part]));
function u32(...values: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, n) => void view.setUint32(4 * n, value));
  return new Uint8Array(view.buffer);
}
const box = (type: string, ...parts: Uint8Array[]): Uint8Array => {
  const inside = bytesOf(parts);
  return bytesOf([u32(8 + inside.length), new TextEncoder().encode(type), inside]);
};

type Frame = { readonly ticks: number; readonly size: number; readonly key: boolean };
type Fragment = { readonly at: number; readonly frames: readonly Frame[]; readonly offset?: number };
const FRAMES: readonly Frame[] = [
  { ticks: 3_000, size: 40, key: true },
  { ticks: 3_000, size: 7, key: false },
];

function fragment({ at, frames, offset }: Fragment): Uint8Array {
  const fields = frames.flatMap(({ ticks, size, key }) => [ticks, size, key ? 0x02000000 : 0x01010000]);
  const moof = (data: number) =>
    box(
      "moof",
      box("mfhd", u32(0, 1)),
      box(
        "traf",
        box("tfhd", u32(0x20000, 1)),
        box("tfdt", u32(0x01000000, Math.floor(at / 2 ** 32), at % 2 ** 32)),
        box("trun", u32(0x701, frames.length, data, ...fields)),
      ),
    );
  const head = moof(offset ?? moof(0).length + 8);
  return bytesOf([head, box("mdat", new Uint8Array(frames.reduce((sum, { size }) => sum + size, 0)).fill(9))]);
}

function segment(
  fragments: readonly Fragment[] = [{ at: 0, frames: FRAMES }],
  codec: "vp08" | "avc1" = "avc1",
): Uint8Array<ArrayBuffer> {
  const picture = new Uint8Array(78);
  new DataView(picture.buffer).setUint16(24, 640);
  new DataView(picture.buffer).setUint16(26, 360);
  const entry = box(codec, picture, ...(codec === "avc1" ? [box("avcC", Uint8Array.of(1, 0x42, 0xe0, 0x1f))] : []));
  const table = box("stbl", box("stsd", u32(0, 1), entry));
  const moov = box("moov", box("trak", box("mdia", box("minf", table))));
  return bytesOf([box("ftyp", u32(0)), moov, ...fragments.map(fragment)]);
}
const read = (bytes: Uint8Array<ArrayBuffer>) => readSegment(bytes.slice().buffer);

test("frames have their times, their bytes and their codec", () => {
  const facts = read(
    segment([
      { at: 0, frames: FRAMES },
      { at: 9_000, frames: FRAMES },
    ]),
  );
  expect(facts).toMatchObject({ codec: "h264", type: 'video/mp4; codecs="avc1.42e01f"', width: 640, height: 360 });
  expect(facts.frames.map(({ atMs, keyFrame, bytes }) => [Math.round(atMs), keyFrame, bytes.length])).toEqual([
    [0, true, 40],
    [33, false, 7],
    [100, true, 40],
    [133, false, 7],
  ]);
  expect(Math.round(facts.endMs)).toBe(167);
  expect(read(segment(undefined, "vp08"))).toMatchObject({ codec: "vp8", width: 640 });
});

test("a segment that is cut off anywhere, or has any byte changed, is read or refused, and never more than the file", () => {
  const whole = segment([
    { at: 0, frames: FRAMES },
    { at: 9_000, frames: FRAMES },
  ]);
  const tried = (bytes: Uint8Array<ArrayBuffer>): void => {
    let frames: ReturnType<typeof readSegment>["frames"];
    try {
      ({ frames } = read(bytes));
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
      return;
    }
    expect(frames.reduce((sum, frame) => sum + frame.bytes.length, 0)).toBeLessThanOrEqual(bytes.length);
    const times = frames.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(asWebm({ ...read(bytes) }).length).toBeLessThan(bytes.length + 64 * frames.length + 1_024);
  };
  for (let end = 0; end < whole.length; end += 1) tried(whole.slice(0, end));
  for (let at = 0; at < whole.length; at += 1)
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const changed = whole.slice();
      changed[at] = value;
      tried(changed);
    }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => tried(Uint8Array.from(bytes))));
});

test.each<[string, readonly Fragment[]]>([
  [
    "frames that share their bytes",
    [
      { at: 0, frames: FRAMES },
      { at: 9_000, frames: FRAMES, offset: 0x80000000 },
    ],
  ],
  ["frames within the head", [{ at: 0, frames: FRAMES, offset: 8 }]],
  [
    "a time that runs backwards",
    [
      { at: 9_000, frames: FRAMES },
      { at: 0, frames: FRAMES },
    ],
  ],
  ["a time without an end", [{ at: 2 ** 52, frames: FRAMES }]],
  ["no frame at all", [{ at: 0, frames: [] }]],
  [
    "more frames than any segment has",
    [{ at: 0, frames: Array.from({ length: 20_001 }, () => ({ ticks: 1, size: 0, key: false })) }],
  ],
])("%s is refused", (_name, fragments) => {
  expect(() => read(segment(fragments))).toThrow(/damaged|too|no frame|range|length|offset|Offset/);
});

test("VP8 becomes WebM with the same frames, in clusters of thirty seconds", () => {
  const facts = read(
    segment(
      [
        { at: 0, frames: FRAMES },
        { at: 40 * 90_000, frames: FRAMES },
      ],
      "vp08",
    ),
  );
  const webm = asWebm(facts);
  expect([...webm.slice(0, 4)]).toEqual([0x1a, 0x45, 0xdf, 0xa3]);
  const text = String.fromCharCode(...webm);
  expect(text.split("\x1f\x43\xb6\x75").length - 1).toBe(2);
  expect(text).toContain("V_VP8");
});

test("the frame of a time is the last one taken by then", () => {
  const frames = [0, 33, 66, 500];
  expect([-9, 0, 32, 33, 400, 500, 9_999].map((ms) => frameAt(frames, ms))).toEqual([0, 0, 0, 1, 2, 3, 3]);
  expect(frameAt([], 5)).toBe(0);
});

afterEach(() => vi.unstubAllGlobals());

test("a browser that reads no format is said so, and a damaged segment stops before the video is touched", () => {
  const video = document.createElement("video");
  const parts = [{ fromMs: 1_000, bytes: segment().buffer }];
  vi.stubGlobal("MediaSource", undefined);
  expect(playClip(video, parts, () => {})).toBe("cannotPlay");
  class NoSource extends EventTarget {
    static isTypeSupported = (): boolean => false;
  }
  vi.stubGlobal("MediaSource", NoSource);
  expect(playClip(video, parts, () => {})).toBe("cannotPlay");
  expect(playClip(video, [], () => {})).toBe("cannotPlay");
  expect(() => playClip(video, [{ fromMs: 0, bytes: new ArrayBuffer(12) }], () => {})).toThrow(/damaged|no moov/);
  expect(video.getAttribute("src")).toBeNull();
});
