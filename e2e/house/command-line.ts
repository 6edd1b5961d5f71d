import { setTimeout as pause } from "node:timers/promises";
import { runCommandLine } from "@longarm/platform/cli/run";
import { systemRandom } from "@longarm/platform/random";
import type { TestHouse } from "./test-house.ts";

export type Ran = { readonly code: number; readonly said: readonly string[]; readonly complained: readonly string[] };

/** Runs staff's command line beside a running house. */
export async function runLongarm(
  { databaseUrl }: Pick<TestHouse, "databaseUrl">,
  args: readonly string[],
): Promise<Ran> {
  const said: string[] = [];
  const complained: string[] = [];
  const code = await runCommandLine([...args], {
    environment: { DATABASE_URL: databaseUrl },
    random: systemRandom,
    pause: (ms) => pause(ms),
    staff: "a test",
    say: (line) => void said.push(line),
    complain: (line) => void complained.push(line),
  });
  return { code, said, complained };
}
