import { expect, test } from "vitest";
import { crashAt } from "./steps.ts";

test("only the named step kills", () => {
  let kills = 0;
  const steps = crashAt("cashIn.asked", () => {
    kills += 1;
  });
  for (const name of ["cashIn.intentStored", "cashIn.answered", "cashOut.asked", ""]) steps(name);
  expect(kills).toBe(0);
  steps("cashIn.asked");
  expect(kills).toBe(1);
});
