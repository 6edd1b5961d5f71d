import { expect, test } from "vitest";
import { lastRunPage, reachLines, resultTable } from "./report.ts";

test("one table says ours, the peer's, the ratio, what is wanted and whether it is so", () => {
  const table = resultTable([
    {
      what: "delay",
      condition: "clean",
      unit: "ms",
      value: { p50: 12, p95: 17, max: 140, n: 9 },
      held: { peer: { name: "Janus", value: 31 }, reach: { of: "ratio", atMost: 0.5 } },
    },
    { what: "seen", condition: "clean", unit: "times", value: null, held: { reach: { of: "figure", atLeast: 1 } } },
    { what: "pictures", condition: "clean", unit: "a second", value: 29.6 },
  ]);
  const cells = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  expect(cells[2]?.slice(1, -1)).toEqual([
    "delay",
    "clean",
    "12",
    "17",
    "140",
    "9",
    "ms",
    "Janus: 31",
    "0.39",
    "≤ 0.5 of the peer",
    "yes",
  ]);
  expect(cells[3]?.slice(1, -1)).toEqual(["seen", "clean", "–", "–", "–", "0", "times", "", "", "≥ 1", "no"]);
  expect(cells[4]?.slice(1, -1)).toEqual(["pictures", "clean", "29.6", "", "", "1", "a second", "", "", "", ""]);
});

test("what is not met is named", () => {
  const wanted = { reach: { of: "figure", atMost: 18 } } as const;
  const result = (condition: string, value: number) =>
    ({ what: "processor", condition, unit: "% of a core", value, held: wanted }) as const;
  expect(reachLines([result("one viewer", 17), result("four viewers", 19)])).toEqual([
    "1 of 2 reaches met",
    "not met: processor (four viewers)",
  ]);
});

test("the page of a run lists its facts above its results", () => {
  const page = lastRunPage([{ what: "delay", condition: "clean", unit: "ms", value: 7.3 }], ["4 cores", "1 of 1 met"]);
  expect(page).toMatch(/^# .*\n\n[^\n]*docs\/performance\.md[^\n]*\n\n- 4 cores\n- 1 of 1 met\n\n\| what/);
  expect(page.endsWith("|\n")).toBe(true);
});
