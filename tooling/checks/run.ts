// `npm test`: every check of the house. `npm test -- lint unit` runs parts. Ends with the line `N passed, N failed`.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { readOpenRows } from "../rows/open-rows.ts";
import { readRows } from "../rows/read-rows.ts";
import { tableOfRows } from "../rows/table.ts";
import { endAll } from "./processes.ts";
import type { StepResult } from "./run-step.ts";
import { runStep, runSteps } from "./run-step.ts";
import { chooseSteps, LONG_AT_ONCE } from "./steps.ts";
import { endStrays } from "./strays.ts";
import type { Tally } from "./tally.ts";
import { sumTallies } from "./tally.ts";
import { tellOutput, tellResult, tellSecondTries } from "./tell.ts";

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(parts: readonly string[]): Promise<Tally> {
  const steps = chooseSteps(parts);
  const scratch = mkdtempSync(join(tmpdir(), "longarm-checks-"));
  const stop = (): void => {
    endAll();
    sweep(scratch);
    process.exit(130);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  // Other users go through it too: as root PostgreSQL runs as nobody.
  const temporary = join(scratch, "tmp");
  mkdirSync(temporary);
  chmodSync(scratch, 0o711);
  chmodSync(temporary, 0o1777);
  const room = { root: join(import.meta.dirname, "../.."), scratch, temporary, env: process.env };
  try {
    const atOnce = { quick: availableParallelism(), long: LONG_AT_ONCE };
    const results = await runSteps(steps, atOnce, async (step) => {
      const result = await runStep(step, room);
      say(tellResult(result));
      for (const line of tellSecondTries(result)) say(line);
      return result;
    });
    const tallies = results.map(({ tally }) => tally);
    // Without every test there is no telling what is proved.
    if (parts.length === 0) tallies.push(tellRows(results));
    for (const result of results) if (result.tally.failed > 0) say(tellOutput(result));
    return sumTallies(tallies);
  } finally {
    endAll();
    sweep(scratch);
  }
}

/** Which test proves which row of the specification. A breach counts as one failure. */
function tellRows(results: readonly StepResult[]): Tally {
  const { lines, breaches } = tableOfRows(
    readRows(),
    results.flatMap(({ passed }) => passed),
    readOpenRows(),
  );
  say(
    ["\nThe rows of docs/specification/rows.md, and the test that proves each:", ...lines, "", ...breaches].join("\n"),
  );
  return breaches.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function sweep(folder: string): void {
  endStrays(folder);
  try {
    // Programs that were killed a moment ago may still be letting go of their files.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  } catch (error) {
    say(`Left behind: ${folder} (${error})`);
  }
}

let tally: Tally = { passed: 0, failed: 1 };
try {
  tally = await main(process.argv.slice(2));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
}
process.exitCode = tally.failed === 0 ? 0 : 1;
say(`${tally.passed} passed, ${tally.failed} failed`);
