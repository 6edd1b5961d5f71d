import { defaultSettings } from "@longarm/contract/settings";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sheetOf } from "./sheet-rules.ts";

const settings = defaultSettings();
const limits = { minCycleMs: 0, minTransfer: 100, maxTransfer: 100_000_000, autoplay: true };
const facts = { wallet: 1_245_075, credit: 482_050, denomination: 1, limits, settings } as const;

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
  [99, "belowMin", 100],
] as const)("an amount of %i is %s", (amount, problem, bound) => {
  expect(sheetOf({ ...facts, direction: "cashIn", amount })).toMatchObject({ problem, bound, ready: false });
});

test("an amount above the machine's limit is named with the limit", () => {
  const rich = { ...facts, wallet: 900_000_000, direction: "cashIn", amount: 100_000_001 } as const;
  expect(sheetOf(rich)).toMatchObject({ problem: "aboveMax", bound: 100_000_000 });
});

test("keeps the sum of both sides the same before and after, for any amount", () => {
  fc.assert(
    fc.property(
      fc.nat(1e12),
      fc.nat(1e12),
      fc.option(fc.nat(2e12), { nil: undefined }),
      fc.constantFrom("cashIn" as const, "cashOut" as const),
      fc.constantFrom(1, 5, 25, 300),
      (wallet, credit, amount, direction, denomination) => {
        const { from, to, ready } = sheetOf({ direction, amount, wallet, credit, denomination, limits, settings });
        expect(from.after + to.after).toBe(wallet + credit);
        expect(from.after).toBeGreaterThanOrEqual(0);
        if (ready) expect(from.now - from.after).toBe(amount);
      },
    ),
    { seed: 3 },
  );
});

// maintainer 6.8: the page offered amounts that the platform refuses, such as 0.01 where a credit is worth 0.25.
test("of a machine with large credits only whole credits are offered and accepted", () => {
  const large = { ...facts, denomination: 2_500, direction: "cashIn" } as const;
  expect(sheetOf({ ...large, amount: 5_001 })).toMatchObject({ problem: "notWhole", bound: 2_500, ready: false });
  expect(sheetOf({ ...large, amount: 7_500 })).toMatchObject({ problem: undefined, ready: true, all: 1_245_000 });
  const quick = sheetOf({ ...large, denomination: 300_000, amount: undefined }).quick;
  expect(quick.map(({ label, enabled }) => [label, enabled])).toEqual([
    ["500", false],
    ["5.000", false],
    ["10.000", false],
    ["50.000", false],
    ["100.000", false],
  ]);
  // The machine's own limits are met by whole credits inside them.
  const odd = { ...large, wallet: 900_000_000, denomination: 300, limits: { ...limits, maxTransfer: 100_000 } };
  expect(sheetOf({ ...odd, amount: 99 })).toMatchObject({ problem: "belowMin", bound: 300 });
  expect(sheetOf({ ...odd, amount: 100_000 })).toMatchObject({ problem: "aboveMax", bound: 99_900 });
  expect(sheetOf({ ...odd, amount: undefined }).all).toBe(99_900);
});

test("a cash-out moves whole credits, or everything as it is", () => {
  const back = { ...facts, credit: 7_510, denomination: 500, direction: "cashOut" } as const;
  expect(sheetOf({ ...back, amount: 7_000 }).ready).toBe(true);
  expect(sheetOf({ ...back, amount: 7_001 })).toMatchObject({ problem: "notWhole", bound: 500, ready: false });
  expect(sheetOf({ ...back, amount: undefined }).all).toBe(7_510);
  expect(sheetOf({ ...back, amount: 7_510 }).ready).toBe(true);
  expect(sheetOf({ ...back, credit: 3, amount: 3 }).ready).toBe(true);
});

test("whatever is offered or accepted for a machine is whole credits that the wallet and the limits allow", () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.nat(1e9), fc.integer({ min: 1, max: 100_000 }), (wallet, amount, denomination) => {
      const sheet = sheetOf({ ...facts, direction: "cashIn", wallet, amount, denomination });
      const offered = [sheet.all, ...sheet.quick.flatMap(({ minor, enabled }) => (enabled ? [minor] : []))];
      for (const minor of [...offered, ...(sheet.ready ? [amount] : [])]) {
        expect(minor % denomination).toBe(0);
        expect(minor).toBeLessThanOrEqual(Math.min(wallet, limits.maxTransfer));
        if (minor > 0) expect(minor).toBeGreaterThanOrEqual(limits.minTransfer);
      }
    }),
    { seed: 4 },
  );
});
