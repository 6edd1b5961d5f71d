import { expect, test } from "vitest";
import { isMet, ratioOf } from "../result.ts";

const spread = { p50: 40, p95: 90, max: 300, n: 9 };

test("a figure is held against a peer by the value that counts", () => {
  const peer = { name: "peer", value: { p50: 100, p95: 100, max: 100, n: 9 } };
  expect(ratioOf(spread, { peer })).toBe(0.4);
  expect(ratioOf(spread, { peer, reach: { of: "ratio", atMost: 0.5, at: "p95" } })).toBe(0.9);
  expect(isMet(spread, { peer, reach: { of: "ratio", atMost: 0.5 } })).toBe(true);
  expect(isMet(spread, { peer, reach: { of: "ratio", atMost: 0.5, at: "p95" } })).toBe(false);
});

test("nothing is rounded: just over is over, and both ends belong to it", () => {
  expect(isMet(18, { reach: { of: "figure", atMost: 18 } })).toBe(true);
  expect(isMet(18.0001, { reach: { of: "figure", atMost: 18 } })).toBe(false);
  expect(isMet(94.9999, { reach: { of: "figure", atLeast: 95 } })).toBe(false);
});

test("what was not measured is not met, and a peer of nothing gives no ratio", () => {
  expect(isMet(null, { reach: { of: "figure", atMost: 18 } })).toBe(false);
  expect(isMet(5, { peer: { name: "peer", value: 0 }, reach: { of: "ratio", atLeast: 0.7 } })).toBe(false);
  expect(isMet(5, { peer: { name: "peer", value: null } })).toBeNull();
});
