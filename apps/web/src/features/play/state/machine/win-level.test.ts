import { expect, test } from "vitest";
import { winLevel } from "./win-level.ts";

// player 8
test.each([
  ["no win", 0, 1_200, 0],
  ["less than the stake", 1_000, 1_200, 0],
  ["the stake itself", 1_200, 1_200, 0],
  ["more than the stake", 1_201, 1_200, 1],
  ["below ten times", 11_999, 1_200, 1],
  ["ten times", 12_000, 1_200, 2],
  ["fifty times", 60_000, 1_200, 3],
  ["a win of a machine that told no stake", 5, 0, 3],
] as const)("player 8: a win is celebrated by its size: %s", (_what, win, stake, level) => {
  expect(winLevel(win, stake)).toBe(level);
});
