import { expect } from "vitest";
import { runLongarm } from "./command-line.ts";
import type { TestVenue } from "./test-venue.ts";

/** Runs staff's command line beside a running venue; fails the test when it does not go well. Answers what it said. */
export async function longarm(venue: Pick<TestVenue, "databaseUrl">, ...args: string[]): Promise<string> {
  const { code, complained, said } = await runLongarm(venue, args);
  expect({ code, complained }).toEqual({ code: 0, complained: [] });
  return said.join("\n");
}
