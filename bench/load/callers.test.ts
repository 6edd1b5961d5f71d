import { expect, test } from "vitest";
import type { CallTimes } from "./callers.ts";
import { calledOf, getRequest, highestSustained, isSustained } from "./callers.ts";

test("the highest rate that is sustained is found between two ends", async () => {
  const tried: number[] = [];
  const found = await highestSustained({ from: 1_000, to: 2_000, tries: 6 }, async (rate) => {
    tried.push(rate);
    return rate <= 1_703;
  });
  expect(tried).toEqual([1_500, 1_750, 1_625, 1_687.5, 1_718.75, 1_703.125]);
  expect(found).toBe(1_687.5);
  expect(await highestSustained({ from: 1_000, to: 2_000, tries: 3 }, async () => false)).toBe(1_000);
});

const callTimes = (times: number[], unanswered = 0): CallTimes => ({
  times: Float64Array.from(times),
  failed: 0,
  unanswered,
  seconds: 2,
});

test("the times of several processes are merged; a call without an answer is a failure", () => {
  const called = calledOf([callTimes([3, 1]), callTimes([4, 2])]);
  expect(called).toEqual({ answered: 4, failed: 0, perSecond: 2, p50: 2, p95: 4, p99: 4, max: 4 });
  expect(isSustained(called)).toBe(true);
  expect(isSustained(calledOf([callTimes([3, 1], 1)]))).toBe(false);
  expect(isSustained(calledOf([callTimes([3, 51])]))).toBe(false);
});

test("a request is whole as it goes over the wire", () => {
  expect(getRequest("/v1/player/balance", "127.0.0.1:8080", "abc")).toMatch(
    /^GET \/v1\/player\/balance HTTP\/1\.1\r\n(?:[a-z]+: \S[^\r]*\r\n)+\r\n$/,
  );
});
