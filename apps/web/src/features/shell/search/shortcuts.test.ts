import { expect, test } from "vitest";
import { memoryStorage } from "../../../shared/testing/fakes.ts";
import { createGuestShortcuts, createShortcuts } from "./shortcuts.tsx";

const unsaved = async () => false;

test("stars come and go, and are kept for each player", () => {
  const storage = memoryStorage();
  const mine = createShortcuts(storage, "p_1", undefined, unsaved);
  mine.toggle("transactions");
  mine.toggle("profile");
  mine.toggle("transactions");
  expect(mine.ids.getState()).toEqual(["profile"]);
  expect(createShortcuts(storage, "p_1", ["lobby"], unsaved).ids.getState()).toEqual(["profile"]);
  expect(createShortcuts(storage, "p_2", undefined, unsaved).ids.getState()).toEqual([]);
});

test("before the first change they are those of the platform; none is kept as none", () => {
  const storage = memoryStorage();
  const shortcuts = createShortcuts(storage, "p_1", ["lobby"], unsaved);
  expect(shortcuts.ids.getState()).toEqual(["lobby"]);
  shortcuts.toggle("lobby");
  expect(createShortcuts(storage, "p_1", ["lobby"], unsaved).ids.getState()).toEqual([]);
});

test.each(["{", "7", "[1]", '[["p_1"]]', '[["p_1",{}]]'])("what is kept may be damaged: %s", (text) => {
  const storage = memoryStorage({ "longarm.shortcuts": text });
  expect(createShortcuts(storage, "p_1", undefined, unsaved).ids.getState()).toEqual([]);
});

test("no more than twenty players are kept", () => {
  const storage = memoryStorage();
  for (let player = 0; player < 25; player += 1)
    createShortcuts(storage, `p_${player}`, undefined, unsaved).toggle("lobby");
  const kept: unknown = JSON.parse(storage.all.get("longarm.shortcuts") ?? "");
  expect(kept).toHaveLength(20);
});

test("R-7-17: every star is saved with the account, and once it is there this browser keeps no copy", async () => {
  const storage = memoryStorage();
  const saved: (readonly string[])[] = [];
  const answers: ((isSaved: boolean) => void)[] = [];
  const shortcuts = createShortcuts(storage, "p_1", ["lobby"], (ids) => {
    saved.push(ids);
    return new Promise((resolve) => answers.push(resolve));
  });
  const copied = () => createShortcuts(storage, "p_1", ["lobby"], unsaved).ids.getState();
  shortcuts.toggle("profile");
  shortcuts.toggle("lobby");
  expect(saved).toEqual([["lobby", "profile"], ["profile"]]);
  answers[0]?.(true);
  await Promise.resolve();
  expect(copied()).toEqual(["profile"]);
  answers[1]?.(true);
  await expect.poll(copied).toEqual(["lobby"]);
});

test("stars that could not be saved stay in this browser", async () => {
  const storage = memoryStorage();
  for (const save of [unsaved, () => Promise.reject(new Error("no network"))]) {
    createShortcuts(storage, "p_1", undefined, save).toggle("lobby");
    await Promise.resolve();
    expect(createShortcuts(storage, "p_1", undefined, unsaved).ids.getState()).toEqual(
      save === unsaved ? ["lobby"] : [],
    );
  }
});

test("a guest's stars are kept nowhere", () => {
  const shortcuts = createGuestShortcuts();
  shortcuts.toggle("lobby");
  shortcuts.toggle("profile");
  shortcuts.toggle("lobby");
  expect(shortcuts.ids.getState()).toEqual(["profile"]);
  expect(createGuestShortcuts().ids.getState()).toEqual([]);
});
