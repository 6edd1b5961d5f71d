import { expect, test } from "vitest";
import { createStorage, STORAGE_KEYS } from "../../../shared/storage/storage.ts";
import { CORNERS, cornerAfter, cornerAt, cornerTowards, createRoomCamera } from "./room-camera.ts";

test("the room camera is open at first; its corner and whether it is closed are kept", () => {
  const storage = createStorage(() => window.localStorage);
  storage.remove(STORAGE_KEYS.roomCamera);
  const first = createRoomCamera(storage);
  expect(first.now.getState()).toEqual({ open: true, corner: "bottomStart" });
  first.change({ corner: "topEnd" });
  first.change({ open: false });
  expect(createRoomCamera(storage).now.getState()).toEqual({ open: false, corner: "topEnd" });
  storage.write(STORAGE_KEYS.roomCamera, "on nowhere");
  expect(createRoomCamera(storage).now.getState()).toEqual({ open: true, corner: "bottomStart" });
  storage.remove(STORAGE_KEYS.roomCamera);
});

test("a tap goes round through all corners, an arrow to the side it points to", () => {
  const round = CORNERS.map((_, index) =>
    CORNERS.slice(0, index + 1).reduce((corner) => cornerAfter(corner), CORNERS[0]),
  );
  expect(new Set(round).size).toBe(4);
  expect(cornerTowards("bottomStart", "top")).toBe("topStart");
  expect(cornerTowards("topStart", "end")).toBe("topEnd");
  expect(cornerTowards("topEnd", "bottom")).toBe("bottomEnd");
  expect(cornerTowards("bottomEnd", "start")).toBe("bottomStart");
  expect(cornerTowards("bottomEnd", "end")).toBe("bottomEnd");
});

test.each([
  [0.1, 0.1, false, "topStart"],
  [0.9, 0.1, false, "topEnd"],
  [0.1, 0.9, false, "bottomStart"],
  [0.9, 0.9, true, "bottomStart"],
  [0.1, 0.2, true, "topEnd"],
] as const)("let go at %s, %s (right to left: %s) it snaps to %s", (x, y, rightToLeft, corner) => {
  expect(cornerAt(x, y, rightToLeft)).toBe(corner);
});
