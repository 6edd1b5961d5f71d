import { expect } from "vitest";
import { runLongarm } from "./command-line.ts";
import type { TestHouse } from "./test-house.ts";

/** Runs staff's command line beside a running house; fails the test when it does not go well. Answers what it said. */
export async function longarm(house: Pick<TestHouse, "databaseUrl">, ...args: string[]): Promise<string> {
  const { code, complained, said } = await runLongarm(house, args);
  expect({ code, complained }).toEqual({ code: 0, complained: [] });
  return said.join("\n");
}
