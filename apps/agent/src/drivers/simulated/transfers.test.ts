import { expect, test } from "vitest";
import { decide } from "./machine.ts";
import { factoryState } from "./memory/apply.ts";

const limits = { minTransfer: 1, maxTransfer: 100_000, creditMax: 10_050, denominationMinor: 100 };
const order = (direction: "cashIn" | "cashOut", asked: number | null) => ({ transferId: "tr", direction, asked });
const state = { ...factoryState([0, 0, 0]), credit: 9_000 };

// maintainer 6.8
test.each([
  ["cashIn", 550, { state: "refused", reason: "badAmount" }],
  ["cashIn", 500, { state: "done", amount: 500 }],
  ["cashIn", 5_000, { state: "done", amount: 1_000 }],
  ["cashOut", 150, { state: "refused", reason: "badAmount" }],
  ["cashOut", null, { state: "done", amount: 9_000 }],
] as const)("with credits of 100, %s of %s is %o", (direction, asked, outcome) => {
  expect(decide(state, order(direction, asked), limits, 1)).toMatchObject(outcome);
});

// maintainer 6.8
test("a credit meter without room for one more credit refuses the cash-in", () => {
  const full = { ...state, credit: 10_000 };
  expect(decide(full, order("cashIn", 100), limits, 1)).toMatchObject({ state: "refused", reason: "overLimit" });
});
