import { expect, test } from "vitest";
import { elapsedText } from "./time-text.ts";

test("elapsed times continue beyond a day, and are never below zero", () => {
  const texts = [-5_000, 0, 59_999, 2_538_000, 90_061_000].map(elapsedText);
  expect(texts).toEqual(["00:00:00", "00:00:00", "00:00:59", "00:42:18", "25:01:01"]);
});
