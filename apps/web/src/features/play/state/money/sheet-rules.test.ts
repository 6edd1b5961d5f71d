import { defaultSettings } from "@longarm/contract/settings";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sheetOf } from "./sheet-rules.ts";

const settings = defaultSettings();
const limits = { minCycleMs: 0, minTransfer: 100, maxTransfer: 100_000_000, autoplay: true };
const facts = { wallet: 1_245_075, credit: 482_050, limits, settings } as const;

test("what remains on each side, and which quick amounts can be paid", () => {
  const sheet = sheetOf({ ...facts, direction: "cashIn", amount: 500_000 });
  expect(sheet.from).toEqual({ now: 1_245_075, after: 745_075 });
  expect(sheet.to).toEqual({ now: 482_050, after: 982_050 });
  expect(sheet.quick.map(({ label, enabled }) => [label, enabled])).toEqual([
    ["500", true],
    ["5.000", true],
    ["10.000", true],
    ["50.000", false],
    ["100.000", false],
  ]);
  expect([sheet.all, sheet.ready]).toEqual([1_245_075, true]);
});

test("R-9-06: all-in keeps to the settings and to the machine; cash-out gives everything back", () => {
  const rich = { ...facts, wallet: 900_000_000, amount: undefined };
  expect(sheetOf({ ...rich, direction: "cashIn" }).all).toBe(100_000_000);
  expect(sheetOf({ ...rich, direction: "cashIn", limits: undefined }).all).toBe(250_000_000);
  expect(sheetOf({ ...rich, direction: "cashOut", credit: 3 }).all).toBe(3);
  expect(sheetOf({ ...facts, direction: "cashIn", wallet: 99, amount: undefined }).all).toBe(0);
});

test.each([
  [1_245_076, "notEnough", 1_245_075],
  [99, "belowLeast", 100],
] as const)("an amount of %i is %s", (amount, problem, bound) => {
  expect(sheetOf({ ...facts, direction: "cashIn", amount })).toMatchObject({ problem, bound, ready: false });
});

test("an amount above the machine's limit is named with the limit", () => {
  const rich = { ...facts, wallet: 900_000_000, direction: "cashIn", amount: 100_000_001 } as const;
  expect(sheetOf(rich)).toMatchObject({ problem: "aboveMost", bound: 100_000_000 });
});

test("money on both sides is the same before and after, whatever is asked", () => {
  fc.assert(
    fc.property(
      fc.nat(1e12),
      fc.nat(1e12),
      fc.option(fc.nat(2e12), { nil: undefined }),
      fc.constantFrom("cashIn" as const, "cashOut" as const),
      (wallet, credit, amount, direction) => {
        const { from, to, ready } = sheetOf({ direction, amount, wallet, credit, limits, settings });
        expect(from.after + to.after).toBe(wallet + credit);
        expect(from.after).toBeGreaterThanOrEqual(0);
        if (ready) expect(from.now - from.after).toBe(amount);
      },
    ),
    { seed: 3 },
  );
});
