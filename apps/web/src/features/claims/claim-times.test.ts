import { expect, test } from "vitest";
import { memoryStorage } from "../../shared/testing/fakes.ts";
import { createClaimTimes } from "./claim-times.ts";

function begin(kept: Record<string, string> = {}, at = 1_800_000_000_000) {
  const storage = memoryStorage(kept);
  const clock = { at, now: () => clock.at };
  return { storage, clock, times: createClaimTimes(storage, clock, 30_000) };
}

test("R-9-13: a key waits 30 s after its use, and the other key does not", () => {
  const { times, clock } = begin();
  times.use("discount");
  expect([times.leftMs("discount"), times.leftMs("bonus")]).toEqual([30_000, 0]);
  clock.at += 29_999;
  expect(times.leftMs("discount")).toBe(1);
  clock.at += 1;
  expect(times.leftMs("discount")).toBe(0);
});

test("R-3-35: the time of a use is kept for each key, and a later visit reads it", () => {
  const { times, storage, clock } = begin();
  times.use("discount");
  clock.at += 10_000;
  times.use("bonus");
  expect(Object.fromEntries(storage.all)).toEqual({
    "longarm.discountUsed": "1800000000000",
    "longarm.bonusUsed": "1800000010000",
  });
  const later = begin(Object.fromEntries(storage.all), clock.at + 5_000);
  expect([later.times.leftMs("discount"), later.times.leftMs("bonus")]).toEqual([15_000, 25_000]);
});

test("a clock set back by hours holds a key for no longer than a use does", () => {
  const { times, clock } = begin();
  times.use("bonus");
  clock.at -= 7_200_000;
  expect(times.leftMs("bonus")).toBe(30_000);
  clock.at += 30_000;
  expect(times.leftMs("bonus")).toBe(0);
});

test.each(["", "soon", "NaN", "-5", "null", "{}"])("a kept time of %j holds nothing", (kept) => {
  expect(begin({ "longarm.discountUsed": kept }).times.leftMs("discount")).toBe(0);
});

test.each(["Infinity", "9e99", "99999999999999"])("a kept time of %j holds the key for one use only", (kept) => {
  const { times, clock } = begin({ "longarm.discountUsed": kept });
  clock.at += 30_000;
  expect(times.leftMs("discount")).toBe(0);
});
