import { expect, test } from "vitest";
import type { Result } from "../result.ts";
import { mediansOf } from "../result.ts";

const result = (what: string, value: Result["value"]): Result => ({ what, condition: "clean", unit: "ms", value });

test("several runs come to the median of each figure and the most of all", () => {
  const runs = [10, 30, 20].map((p50) => result("delay", { p50, p95: p50 * 2, max: p50 * 3, n: 5 }));
  expect(mediansOf(runs)).toEqual([result("delay", { p50: 20, p95: 40, max: 90, n: 15 })]);
});

test("single numbers of several runs become their median and their most", () => {
  expect(mediansOf([3, 1, 2].map((value) => result("gap", value)))).toEqual([
    result("gap", { p50: 2, p95: 3, max: 3, n: 3 }),
  ]);
});

test("the peer of several runs is the median of its own, also when one run had none", () => {
  const reach = { of: "ratio", atMost: 0.5 } as const;
  const runs = [null, 30, 10, 20].map((value): Result => {
    const peer = { name: value === null ? "peer, did not play" : "peer", value };
    return { ...result("delay", 5), held: { peer, reach } };
  });
  const [median] = mediansOf(runs);
  expect(median?.held).toEqual({ reach, peer: { name: "peer", value: { p50: 20, p95: 30, max: 30, n: 3 } } });
});

test("one run stays as it is, and figures of other conditions stay apart", () => {
  const other: Result = { ...result("gap", 7), condition: "narrow" };
  expect(mediansOf([result("gap", 5), other, result("none", null)])).toEqual([
    result("gap", 5),
    other,
    result("none", null),
  ]);
});
