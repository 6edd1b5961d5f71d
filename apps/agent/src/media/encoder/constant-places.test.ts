import { expect, test } from "vitest";
import type { FrameArea, VideoFrame } from "../../ports/source.ts";
import { copyChanged, copyInterleaved } from "./video-encoder.ts";

const [width, height] = [64, 48];

/** A frame of one grey, with another one in these places, colours included. */
function pictureOf(places: readonly FrameArea[]): VideoFrame {
  const data = new Uint8Array((width * height * 3) / 2).fill(1);
  for (const { x, y, ...size } of places) {
    for (let row = Math.max(0, y); row < Math.min(height, y + size.height); row += 1) {
      for (let column = Math.max(0, x); column < Math.min(width, x + size.width); column += 1) {
        data[row * width + column] = 2;
        for (const plane of [width * height, width * height * 1.25])
          data[plane + (row >> 1) * (width / 2) + (column >> 1)] = 2;
      }
    }
  }
  return { width, height, data, capturedAtMs: 0 };
}

test.each<{ what: string; places: FrameArea[] }>([
  { what: "nothing", places: [] },
  { what: "odd rows", places: [{ x: 8, y: 7, width: 6, height: 8 }] },
  {
    what: "places far from each other",
    places: [
      { x: 40, y: 2, width: 24, height: 2 },
      { x: 0, y: 30, width: 4, height: 9 },
    ],
  },
  { what: "beyond the edges", places: [{ x: -4, y: -6, width: 80, height: 90 }] },
  { what: "below the frame", places: [{ x: 0, y: 60, width: 8, height: 8 }] },
])("the frame that was encoded last becomes the next one by what changed: $what", ({ places }) => {
  const last = pictureOf([]).data;
  const next = pictureOf(places);
  copyChanged(last, next, places);
  expect(last).toEqual(next.data);
});

test("a frame that may have changed anywhere is copied whole", () => {
  const last = new Uint8Array((width * height * 3) / 2);
  copyChanged(last, pictureOf([{ x: 0, y: 0, width: 2, height: 2 }]), null);
  expect(last).toEqual(pictureOf([{ x: 0, y: 0, width: 2, height: 2 }]).data);
});

test("a frame whose colours alternate holds the same light and colours", () => {
  const places = [{ x: 8, y: 7, width: 6, height: 8 }];
  const next = pictureOf(places);
  const [luma, colours] = [width * height, (width * height) / 4];
  const apart = (nv12: Uint8Array): Uint8Array => {
    const one = (from: number) => Uint8Array.from({ length: colours }, (_, at) => nv12[luma + 2 * at + from] ?? 0);
    return Uint8Array.of(...nv12.subarray(0, luma), ...one(0), ...one(1));
  };
  for (const changed of [places, null]) {
    const last = new Uint8Array(next.data.length).fill(1);
    copyInterleaved(last, next, changed);
    expect(apart(last)).toEqual(next.data);
  }
  const different = { ...next, data: next.data.map((value, at) => (at < luma * 1.25 ? value : value + 4)) };
  const last = new Uint8Array(next.data.length);
  copyInterleaved(last, different, null);
  expect(apart(last)).toEqual(different.data);
});
