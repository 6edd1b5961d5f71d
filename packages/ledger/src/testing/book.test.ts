import { expect, test } from "vitest";
import { createBook } from "./book.ts";
import { driveBook } from "./drive.ts";
import { ledgerScenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

test.each(Object.entries(scenarios))("%s", async (_, table) => {
  const book = createBook();
  const { happened, wanted } = await ledgerScenario(driveBook(book), table);
  expect(happened).toBe(wanted);
  expect(book.addresses().reduce((sum, address) => sum + book.account(address).balanceMinor, 0)).toBe(0);
});
