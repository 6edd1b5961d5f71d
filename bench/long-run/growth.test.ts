import { describe, expect, test } from "vitest";
import { seededRandom } from "../../rig/chance.ts";
import { createRecords, findingsTable, growthFaults, judgeGrowth, ofTable } from "./growth.ts";
import type { Point } from "./trend.ts";
import { lowerEnvelope, trendOf } from "./trend.ts";

const HOUR_MS = 3_600_000;
const BOUND = { most: 4, shareAnHour: 0.05 };

/** An hour of readings, one each ten seconds; `value` by the share of the hour and the reading's number. */
function hour(value: (share: number, at: number) => number, count = 360): Point[] {
  return Array.from({ length: count }, (_, at) => ({ at: (at * HOUR_MS) / count, value: value(at / count, at) }));
}

/** Bell-shaped noise about 0. */
function noise(seed: string, spread: number): () => number {
  const random = seededRandom(seed);
  return () => spread * (Array.from({ length: 12 }, random).reduce((sum, one) => sum + one, 0) - 6);
}

/** A heap between two collections: it fills in `period` readings and falls back. */
const sawtooth = (at: number, period: number, height: number): number => ((at % period) / period) * height;

describe("a measure is steady", () => {
  test.each([
    ["constant", hour(() => 100)],
    ["nothing at all", hour(() => 0)],
    ["noise", hour(noise1(8))],
    ["strong noise", hour(noise1(30))],
    ["the teeth of a heap", hour((_, at) => 60 + sawtooth(at, 7, 40))],
    ["slow teeth", hour((_, at) => 60 + sawtooth(at, 11, 80))],
    ["what falls", hour((share) => 100 - 30 * share)],
    ["what grows only while it warms up", hour((share) => 50 + 50 * Math.min(1, share / 0.2))],
    ["a little more, below the bound", hour((share) => 100 + 3 * share)],
    ["single readings far off", hour((_, at) => (at % 40 === 0 ? 1_000 : 100))],
  ])("%s", (_, points) => {
    expect(judgeGrowth(points, BOUND).is).toBe("steady");
  });

  function noise1(spread: number): () => number {
    const next = noise("steady", spread);
    return () => 200 + next();
  }
});

describe("a measure grows", () => {
  const next = noise("leak", 2);
  test.each([
    ["slowly and evenly", hour((share) => 100 + 12 * share)],
    ["slowly below noise", hour((share) => 100 + 12 * share + next())],
    ["slowly below the teeth of a heap", hour((share, at) => 60 + 12 * share + sawtooth(at, 7, 40))],
    ["ever more slowly", hour((share) => 100 + 40 * Math.sqrt(share))],
    ["by many steps", hour((share) => 100 + 5 * Math.floor(share * 12))],
    ["in few readings", hour((share) => 100 + 12 * share, 12)],
  ])("%s", (_, points) => {
    expect(judgeGrowth(points, BOUND).is).toBe("grows");
  });

  test("by so much as it does, whatever the noise", () => {
    const judged = judgeGrowth(
      hour((share) => 100 + 50 * share + next()),
      BOUND,
    );
    expect(judged.perHour).toBeGreaterThan(45);
    expect(judged.perHour).toBeLessThan(55);
    expect(judged.rise).toBeCloseTo(judged.perHour * 0.8 * (23 / 24), 0);
  });
});

describe("what rises once and stays is reported, and is no leak:", () => {
  const next = noise("step", 1);
  const only = { most: 1, shareAnHour: 0 };
  test.each([
    ["a step in the middle", hour((share) => (share < 0.6 ? 100 : 150) + next())],
    ["an early step", hour((share) => (share < 0.45 ? 100 : 150) + next())],
    ["a late step", hour((share) => (share < 0.75 ? 100 : 150) + next())],
    ["a pool that fills until it is full", hour((share) => 100 + 60 * Math.min(1, share / 0.5) + next())],
  ])("%s", (_, points) => {
    expect(judgeGrowth(points, only).is).not.toBe("grows");
  });
  test("a step that lies well inside has the word for it", () => {
    expect(
      judgeGrowth(
        hour((share) => (share < 0.6 ? 100 : 150) + next()),
        only,
      ).is,
    ).toBe("step");
  });
});

test("the bound is the larger of what may be in all and of its share an hour", () => {
  const points = hour((share) => 1_000 + 45 * share);
  expect(judgeGrowth(points, { most: 4, shareAnHour: 0.05 })).toMatchObject({ is: "steady" });
  expect(judgeGrowth(points, { most: 4, shareAnHour: 0.04 })).toMatchObject({ is: "grows" });
  expect(judgeGrowth(points, { most: 50, shareAnHour: 0 })).toMatchObject({ is: "steady", allowed: 50 });
});

test("too few readings say nothing", () => {
  expect(judgeGrowth([], BOUND).is).toBe("short");
  expect(judgeGrowth(hour(() => 5).slice(0, 4), BOUND)).toMatchObject({ is: "short", level: 5 });
  expect(trendOf([])).toBeNull();
});

test("the lower envelope has the least of each time, in the middle of it", () => {
  const points = [3, 1, 2, 9, 8, 7].map((value, at) => ({ at: at * 10, value }));
  expect(lowerEnvelope(points, 2)).toEqual([
    { at: 12.5, value: 1 },
    { at: 37.5, value: 7 },
  ]);
  expect(lowerEnvelope([], 3)).toEqual([]);
});

test("a single reading far off does not bend the slope", () => {
  const points = hour((share) => 10 * share, 12);
  const bent = points.map((point, at) => (at === 11 ? { ...point, value: 900 } : point));
  expect(trendOf(bent)?.perHour).toBeCloseTo(10, 5);
});

test("one table shows the trend of each measure, and of single tables only those that grew", () => {
  const records = createRecords();
  const measures = [ofTable("seat").dead, ofTable("watcher").dead].map((measure) => ({ ...measure }));
  for (let at = 0; at < 60; at += 1) {
    records.note(measures[0]!, at * 60_000, 7);
    records.note(measures[1]!, at * 60_000, at * 400);
  }
  const findings = records.findings();
  expect(findings.map(({ judged }) => judged.is)).toEqual(["steady", "grows"]);
  expect(growthFaults(findings)).toEqual([
    expect.stringContaining("table watcher: dead rows beyond autovacuum's grows"),
  ]);
  expect(findingsTable(findings)).toContain("GROWS");
  expect(findingsTable(findings)).not.toContain("seat");
});
