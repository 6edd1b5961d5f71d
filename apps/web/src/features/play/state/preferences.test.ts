import { expect, test } from "vitest";
import { createStorage, STORAGE_KEYS } from "../../../shared/storage/storage.ts";
import { canFillScreen } from "../browser/screen.ts";
import { CORNERS, cornerAfter, cornerAt, cornerTowards, createPreferences, createRoomCamera } from "./preferences.ts";

test("the volume of the settings holds until the player chooses one; all that was chosen is kept", () => {
  const storage = createStorage(() => window.localStorage);
  const first = createPreferences(storage, 0.7);
  expect(first.now.getState()).toEqual({ volume: 0.7, muted: false, clickSound: true, smooth: false, hand: undefined });
  const chosen = { volume: 0.25, muted: true, clickSound: false, smooth: true, hand: "left" } as const;
  first.change(chosen);
  expect(createPreferences(storage, 0.7).now.getState()).toEqual(chosen);
  first.change({ muted: false });
  expect(createPreferences(storage, 0.7).now.getState()).toEqual({ ...chosen, muted: false });
  first.change({ hand: undefined });
  expect(createPreferences(storage, 0.7).now.getState().hand).toBeUndefined();
});

test.each(["", "loud", "-1", "2", "NaN"])("a kept volume of %j is not believed", (text) => {
  const storage = createStorage(() => window.localStorage);
  storage.write(STORAGE_KEYS.volume, text);
  expect(createPreferences(storage, 1).now.getState().volume).toBe(1);
});

test.each([
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)", 5, false],
  ["Mozilla/5.0 (iPad; CPU OS 12_0 like Mac OS X)", 5, false],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", 5, false],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", 0, true],
  ["Mozilla/5.0 (Linux; Android 15)", 5, true],
  ["Mozilla/5.0 (X11; Linux x86_64)", 0, true],
])("%s with %i touch points can fill the screen: %s", (userAgent, maxTouchPoints, can) => {
  expect(canFillScreen({ userAgent, maxTouchPoints })).toBe(can);
});

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
