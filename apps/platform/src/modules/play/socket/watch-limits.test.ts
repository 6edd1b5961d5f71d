import { expect, test } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import { CandidateCount, WatchLimits } from "./watch-limits.ts";

test("an account's offers as a spectator: four at once, then one each five seconds; other accounts have their own", () => {
  const clock = manualClock();
  const limits = new WatchLimits(clock);
  expect([1, 2, 3, 4].map(() => limits.offer("deniz"))).toEqual([0, 0, 0, 0]);
  expect(limits.offer("deniz")).toBe(5_000);
  expect(limits.offer("elif")).toBe(0);
  clock.advance(5_000);
  expect([limits.offer("deniz"), limits.offer("deniz")]).toEqual([0, 5_000]);
});

test("one offer brings so many candidates, and the next as many again", () => {
  const count = new CandidateCount();
  const taken = () => Array.from({ length: 100 }, () => count.take()).filter(Boolean).length;
  expect(taken()).toBe(32);
  count.begin();
  expect(taken()).toBe(32);
});
