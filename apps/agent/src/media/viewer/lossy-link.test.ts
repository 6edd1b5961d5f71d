import { expect, test } from "vitest";
import { playOverLosses } from "../testing/lossy-link.ts";

const PLAY_MS = 60_000;
const share = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;

test.each([
  { loss: 0.01, delayMs: 40 },
  { loss: 0.03, delayMs: 40 },
  { loss: 0.05, delayMs: 40 },
])("at $loss loss 19 of 20 frames are as soon there as without, and hardly one waits for a repeat", (losses) => {
  const clean = playOverLosses({ loss: 0, delayMs: losses.delayMs }, PLAY_MS, 1);
  const runs = [1, 2, 3].map((seed) => playOverLosses(losses, PLAY_MS, seed * 7_919));
  for (const { ages } of runs) expect(share(ages, 0.95)).toBeLessThan(share(clean.ages, 0.95) + 20);
  const gaps = runs.flatMap((run) => run.gaps);
  // Chromium requests a packet again after 100 ms; a request that is lost is not waited for.
  expect(gaps.filter((gap) => gap > 160)).toEqual([]);
  expect(gaps.filter((gap) => gap > 125).length).toBeLessThan(9);
});

test("a browser that takes no repair packets has its frames as soon", () => {
  const { ages, gaps } = playOverLosses({ loss: 0.03, delayMs: 40, twins: true }, PLAY_MS, 5);
  expect(share(ages, 0.95)).toBeLessThan(65);
  expect(gaps.filter((gap) => gap > 160).length).toBeLessThan(3);
});

test("a path without loss costs nothing more", () => {
  const { cost, stats, longestGapMs } = playOverLosses({ loss: 0, delayMs: 40 }, PLAY_MS, 3);
  expect(stats).toMatchObject({ repeated: 0, protects: false });
  expect(cost).toBeLessThan(1.05);
  expect(longestGapMs).toBeLessThan(50);
});
