import { expect, test } from "vitest";
import { createStorage, STORAGE_KEYS } from "../../../shared/storage/storage.ts";
import { canFillScreen } from "../browser/screen.ts";
import { createPreferences } from "./preferences.ts";

test("the volume of the settings holds until the player chooses one; all that was chosen is kept", () => {
  const storage = createStorage(() => window.localStorage);
  const first = createPreferences(storage, 0.7);
  expect(first.now.getState()).toEqual({ volume: 0.7, muted: false, clickSound: true, hand: undefined });
  const chosen = { volume: 0.25, muted: true, clickSound: false, hand: "left" } as const;
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
