import { DELAY_BOUNDS_MS } from "@longarm/contract/staff-reports";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { delayBucket, delayOf } from "./viewing.ts";

/* Delays in buckets, and the percentiles that are read from them. */

const countsOf = (delays: readonly number[]): number[] => {
  const counts = DELAY_BOUNDS_MS.map(() => 0);
  for (const ms of delays) counts[delayBucket(ms)] = (counts[delayBucket(ms)] ?? 0) + 1;
  return counts;
};

test("nothing is known without a report", () => {
  expect(delayOf([])).toBeNull();
  expect(delayOf(countsOf([]))).toBeNull();
});

test.each([
  [0, 20],
  [20, 20],
  [21, 40],
  [10_000, 10_000],
  // No page may report more; it would count in the last bucket.
  [10_001, 10_000],
])("a delay of %d ms counts as at most %d", (ms, bound) => {
  expect(delayOf(countsOf([ms]))).toEqual({ reports: 1, medianMs: bound, p95Ms: bound });
});

test("of a hundred reports the slowest five do not change the 95th percentile, the sixth does", () => {
  const reports = (slow: number) => countsOf([...Array(100 - slow).fill(35), ...Array(slow).fill(900)]);
  expect(delayOf(reports(5))).toEqual({ reports: 100, medianMs: 40, p95Ms: 40 });
  expect(delayOf(reports(6))).toEqual({ reports: 100, medianMs: 40, p95Ms: 1_000 });
});

test("each percentile is the upper bound of the bucket that has the true one", () => {
  void fc.assert(
    fc.property(fc.array(fc.nat(10_000), { minLength: 1, maxLength: 300 }), (delays) => {
      const sorted = delays.toSorted((one, other) => one - other);
      const bound = (share: number) =>
        DELAY_BOUNDS_MS[delayBucket(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)] ?? 0;
      const found = delayOf(countsOf(delays));
      expect(found).toEqual({ reports: delays.length, medianMs: bound(0.5), p95Ms: bound(0.95) });
    }),
  );
});
