import { expect, test } from "vitest";
import { framesLost, judgeFrames } from "./player.ts";

const seconds = (...frames: number[]): number[] => frames;
const QUIET = [seconds(30, 30, 29, 31), seconds(30, 31, 29, 30)];

test("a second of the attack is held against the one with its place without it", () => {
  expect(framesLost(seconds(30, 30, 30), seconds(30, 30, 30))).toBe(0);
  expect(framesLost(seconds(30, 20, 30), seconds(30, 30, 20))).toBe(0);
  expect(framesLost(seconds(30, 20, 30), seconds(30, 30, 15))).toBe(5);
  expect(framesLost(seconds(30, 30), seconds(31, 32))).toBe(0);
  expect(framesLost(seconds(30, 30, 30, 30), seconds(30, 24))).toBe(6);
});

test("two frames in any second are let pass, and three are not", () => {
  expect(judgeFrames(QUIET, [seconds(28, 29, 30, 28)])).toMatchObject({ is: "held" });
  expect(judgeFrames(QUIET, [seconds(30, 30, 30, 25)])).toMatchObject({ is: "broken", lost: 4 });
});

test("a computer whose seconds differ by themselves says neither that it held nor that it broke, unless it broke by more", () => {
  const busy = [seconds(30, 28, 25, 30), seconds(29, 20, 18, 30)];
  expect(judgeFrames(busy, [seconds(30, 28, 20, 18)])).toMatchObject({ is: "busy", noise: 8 });
  expect(judgeFrames(busy, [seconds(3, 3, 3, 3)])).toMatchObject({ is: "broken" });
  expect(judgeFrames(QUIET, [])).toMatchObject({ is: "busy" });
});
