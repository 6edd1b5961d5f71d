import { expect, test } from "vitest";
import type { VideoFrame } from "../ports/source.ts";
import { createChangedAreas } from "./lane.ts";

const place = (x: number) => ({ x, y: 0, width: 16, height: 16 });
const frame = (capturedAtMs: number, changed?: VideoFrame["changed"]): VideoFrame => ({
  width: 16,
  height: 16,
  data: new Uint8Array(384),
  capturedAtMs,
  ...(changed && { changed }),
});

test("what changed in frames that were left out is not forgotten", () => {
  const changedAreas = createChangedAreas();
  changedAreas.add(frame(1));
  expect(changedAreas.take()).toBeNull();
  changedAreas.add(frame(2, { sinceMs: 1, places: [place(1)] }));
  changedAreas.add(frame(3, { sinceMs: 2, places: [] }));
  changedAreas.add(frame(4, { sinceMs: 3, places: [place(2)] }));
  expect(changedAreas.take()).toEqual([place(1), place(2)]);
  changedAreas.add(frame(5, { sinceMs: 4, places: [] }));
  expect(changedAreas.take()).toEqual([]);
});

test("after a gap, or with too many places, the whole frame may have changed", () => {
  const changedAreas = createChangedAreas();
  changedAreas.add(frame(1));
  changedAreas.take();
  changedAreas.add(frame(3, { sinceMs: 2, places: [place(1)] }));
  changedAreas.add(frame(4, { sinceMs: 3, places: [place(1)] }));
  expect(changedAreas.take()).toBeNull();
  changedAreas.add(frame(5, { sinceMs: 4, places: Array.from({ length: 300 }, (_, x) => place(x)) }));
  expect(changedAreas.take()).toBeNull();
  changedAreas.add(frame(6));
  expect(changedAreas.take()).toBeNull();
});
