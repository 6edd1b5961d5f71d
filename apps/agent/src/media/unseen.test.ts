import { expect, test } from "vitest";
import type { Picture } from "../ports/source.ts";
import { createUnseen } from "./unseen.ts";

const place = (x: number) => ({ x, y: 0, width: 16, height: 16 });
const picture = (capturedAtMs: number, changed?: Picture["changed"]): Picture => ({
  width: 16,
  height: 16,
  data: new Uint8Array(384),
  capturedAtMs,
  ...(changed && { changed }),
});

test("what changed in pictures that were left out is not forgotten", () => {
  const unseen = createUnseen();
  unseen.heard(picture(1));
  expect(unseen.take()).toBeNull();
  unseen.heard(picture(2, { sinceMs: 1, places: [place(1)] }));
  unseen.heard(picture(3, { sinceMs: 2, places: [] }));
  unseen.heard(picture(4, { sinceMs: 3, places: [place(2)] }));
  expect(unseen.take()).toEqual([place(1), place(2)]);
  unseen.heard(picture(5, { sinceMs: 4, places: [] }));
  expect(unseen.take()).toEqual([]);
});

test("after a gap, or with too many places, the whole picture may have changed", () => {
  const unseen = createUnseen();
  unseen.heard(picture(1));
  unseen.take();
  unseen.heard(picture(3, { sinceMs: 2, places: [place(1)] }));
  unseen.heard(picture(4, { sinceMs: 3, places: [place(1)] }));
  expect(unseen.take()).toBeNull();
  unseen.heard(picture(5, { sinceMs: 4, places: Array.from({ length: 300 }, (_, x) => place(x)) }));
  expect(unseen.take()).toBeNull();
  unseen.heard(picture(6));
  expect(unseen.take()).toBeNull();
});
