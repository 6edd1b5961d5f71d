import { describe, expect, test } from "vitest";
import { businessDay, daysOf, FIRST_VIEW, periodText, searchOf, shifted, stepsOf, viewOf } from "./period.ts";

describe("an address", () => {
  test("holds what is shown, and nothing that is as usual", () => {
    expect(searchOf(FIRST_VIEW)).toEqual({});
    const view = { period: "month", day: "2026-11-20", by: "machine", brand: "Nar", denomination: 5 } as const;
    expect(viewOf(searchOf(view))).toEqual(view);
  });

  test.each([
    [{ period: "century", by: "player", day: "yesterday", denomination: "much" }, FIRST_VIEW],
    [{ day: "2026-02-30" }, FIRST_VIEW],
    [{ day: 20_261_120, denomination: -1, brand: "" }, FIRST_VIEW],
    [{ brand: 777 }, { ...FIRST_VIEW, brand: "777" }],
  ])("with what makes no sense shows the rest: %j", (search, view) => {
    expect(viewOf(search)).toEqual(view);
  });
});

test.each([
  ["2026-11-20T02:59:59Z", "2026-11-19"],
  ["2026-11-20T03:00:00Z", "2026-11-20"],
  ["2026-11-20T20:59:59Z", "2026-11-20"],
  ["2026-11-21T00:00:00Z", "2026-11-20"],
])("at %s the business day in Istanbul that begins at six is %s", (instant, day) => {
  expect(businessDay(Date.parse(instant), "Europe/Istanbul", 360)).toBe(day);
});

describe("a period", () => {
  test.each([
    ["day", "2026-11-20", "2026-11-20", "2026-11-20"],
    ["week", "2026-11-20", "2026-11-14", "2026-11-20"],
    ["month", "2024-02-10", "2024-02-01", "2024-02-29"],
    ["year", "2026-11-20", "2026-01-01", "2026-12-31"],
  ] as const)("of a %s around %s is from %s to %s", (period, day, from, to) => {
    expect(daysOf(period, day)).toEqual({ from, to });
  });

  test.each([
    ["day", "2026-03-01", -1, "2026-02-28"],
    ["week", "2026-01-03", -1, "2025-12-27"],
    ["month", "2026-03-31", -1, "2026-02-28"],
    ["month", "2026-12-31", 1, "2027-01-31"],
    ["month", "2026-01-31", 1, "2026-02-28"],
    ["year", "2024-02-29", 1, "2025-02-28"],
  ] as const)("beside the %s of %s (%i) is that of %s", (period, day, by, other) => {
    expect(shifted(period, day, by)).toBe(other);
  });

  test("has each of its days and months, also empty ones", () => {
    expect(stepsOf("2026-02-27", "2026-03-02", "day")).toEqual([
      "2026-02-27",
      "2026-02-28",
      "2026-03-01",
      "2026-03-02",
    ]);
    expect(stepsOf("2026-11-20", "2027-01-01", "month")).toEqual(["2026-11", "2026-12", "2027-01"]);
  });

  test.each(["en", "tr", "ar"] as const)("is written in %s without marks of direction", (language) => {
    const text = periodText({ from: "2026-11-14", to: "2026-11-20" }, language);
    expect(text).toContain("2026");
    expect(text).not.toMatch(/[\u200e\u200f\u061c]/);
  });
});
