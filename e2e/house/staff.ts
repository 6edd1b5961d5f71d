import { setTimeout as pause } from "node:timers/promises";
import { runCommandLine } from "@longarm/platform/cli/run";
import { systemRandom } from "@longarm/platform/random";
import { expect } from "vitest";
import type { TestHouse } from "./test-house.ts";

/** Runs staff's command line beside a running house; fails the test when it does not go well. Answers what it said. */
export async function longarm({ databaseUrl }: Pick<TestHouse, "databaseUrl">, ...args: string[]): Promise<string> {
  const said: string[] = [];
  const complained: string[] = [];
  const code = await runCommandLine(args, {
    environment: { DATABASE_URL: databaseUrl },
    random: systemRandom,
    pause: (ms) => pause(ms),
    staff: "a test",
    say: (line) => void said.push(line),
    complain: (line) => void complained.push(line),
  });
  expect({ code, complained }).toEqual({ code: 0, complained: [] });
  return said.join("\n");
}
