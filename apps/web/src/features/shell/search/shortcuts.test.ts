import { expect, test } from "vitest";
import { memoryStorage } from "../../../shared/testing/fakes.ts";
import { createShortcuts } from "./shortcuts.ts";

test("stars come and go, and are kept for each player", () => {
  const storage = memoryStorage();
  const mine = createShortcuts(storage, "p_1", undefined);
  mine.toggle("transactions");
  mine.toggle("profile");
  mine.toggle("transactions");
  expect(mine.ids.getState()).toEqual(["profile"]);
  expect(createShortcuts(storage, "p_1", ["lobby"]).ids.getState()).toEqual(["profile"]);
  expect(createShortcuts(storage, "p_2", undefined).ids.getState()).toEqual([]);
});

test("before the first change they are those of the platform; none is kept as none", () => {
  const storage = memoryStorage();
  const shortcuts = createShortcuts(storage, "p_1", ["lobby"]);
  expect(shortcuts.ids.getState()).toEqual(["lobby"]);
  shortcuts.toggle("lobby");
  expect(createShortcuts(storage, "p_1", ["lobby"]).ids.getState()).toEqual([]);
});

test.each(["{", "7", "[1]", '[["p_1"]]', '[["p_1",{}]]'])("what is kept may be damaged: %s", (text) => {
  const storage = memoryStorage({ "longarm.shortcuts": text });
  expect(createShortcuts(storage, "p_1", undefined).ids.getState()).toEqual([]);
});

test("no more than twenty players are kept", () => {
  const storage = memoryStorage();
  for (let player = 0; player < 25; player += 1) createShortcuts(storage, `p_${player}`, undefined).toggle("lobby");
  const kept: unknown = JSON.parse(storage.all.get("longarm.shortcuts") ?? "");
  expect(kept).toHaveLength(20);
});
