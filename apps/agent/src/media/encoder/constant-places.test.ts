import { expect, test } from "vitest";
import type { FrameArea, VideoFrame } from "../../ports/source.ts";
import { copyChanged } from "./video-encoder.ts";

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
