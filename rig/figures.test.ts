import { expect, test } from "vitest";
import { markdown } from "../bench/report.ts";
import { meanOf, spreadOf } from "./figures.ts";

test("a spread takes the nearest rank, whatever the order", () => {
  const hundred = Array.from({ length: 100 }, (_, n) => ((n * 37) % 100) + 1);
  expect(spreadOf(hundred)).toEqual({ p50: 50, p95: 95, max: 100, n: 100 });
  expect(spreadOf([7])).toEqual({ p50: 7, p95: 7, max: 7, n: 1 });
  expect(spreadOf([])).toBeNull();
  expect(meanOf(hundred)).toBe(50.5);
  expect(meanOf([])).toBeNull();
});

test("a table lines up in a terminal and is a table in a page", () => {
  const rows = [
    ["what", "p50"],
    ["glass to glass", "8"],
    ["x", "100"],
  ];
  expect(markdown(rows)).toBe(
    [
      "| what           | p50 |",
      "| -------------- | --: |",
      "| glass to glass |   8 |",
      "| x              | 100 |",
    ].join("\n"),
  );
});
