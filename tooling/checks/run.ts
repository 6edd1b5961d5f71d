// `npm test`: every check of the venue. `npm test -- lint unit` runs parts, `npm test -- all` each test in its longest form. Ends with the line `N passed, N failed`.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { COMPILE_CACHE } from "../../launcher/compile-cache.ts";
import { readOpenRows } from "../rows/open-rows.ts";
import { readRows } from "../rows/read-rows.ts";
import { tableOfRows } from "../rows/table.ts";
import { endAll } from "./processes.ts";
import type { StepResult } from "./run-step.ts";
import { runStep, runSteps, trySecondTime } from "./run-step.ts";
import { makeScratch, removeScratch } from "./scratch.ts";
import type { Step } from "./steps.ts";
import { chooseSteps, isEverything, LONG_AT_ONCE, testHelp } from "./steps.ts";
import type { Tally } from "./tally.ts";
import { sumTallies } from "./tally.ts";
import { durationOf, tellFailures, tellOutput, tellResult, tellSecondTries } from "./tell.ts";

const say = (text: string): void => void process.stdout.write(`${text}\n`);

type Outcome = {
  readonly tally: Tally;
  /** Steps that could not run here. */
  readonly skipped: number;
  /** What failed, by name. */
  readonly failures: readonly string[];
};

async function main(parts: readonly string[]): Promise<Outcome> {
  const steps = chooseSteps(parts);
  const { folder: scratch, temporary } = makeScratch();
  const stop = (): void => {
    endAll();
    removeScratch(scratch);
    process.exit(130);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  // Several hundred processes read the same sources: what one has compiled the others take.
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env };
  const room = { root: join(import.meta.dirname, "../.."), scratch, temporary, env };
  try {
    const atOnce = { quick: availableParallelism(), long: LONG_AT_ONCE };
    const skipped = steps.flatMap((step) => step.skip?.(env) ?? []);
    for (const why of skipped) say(`skip ${why}`);
    const chosen = steps.filter((step) => step.skip?.(env) === undefined);
    const runOne = async (step: Step): Promise<StepResult> => {
      const result = await runStep(step, room);
      say(tellResult(result));
      for (const line of tellFailures(result)) say(line);
      return result;
    };
    const once = await runSteps(chosen, atOnce, runOne);
    const results = process.env["CI"] === "true" ? await trySecondTime(once, runOne) : once;
    for (const line of results.flatMap(tellSecondTries)) say(line);
    const failing = results.filter(({ tally }) => tally.failed > 0);
    // Without every test there is no telling what is proved.
    const breaches = isEverything(parts) ? tellRows(results) : undefined;
    for (const result of failing) say(tellOutput(result));
    const rows = breaches && { passed: breaches.length === 0 ? 1 : 0, failed: breaches.length === 0 ? 0 : 1 };
    return {
      skipped: skipped.length,
      tally: sumTallies([...results.map(({ tally }) => tally), ...(rows ? [rows] : [])]),
      failures: [
        ...failing.flatMap((result) => [tellResult(result), ...tellFailures(result)]),
        ...(breaches ?? []).map((breach) => `rows: ${breach}`),
      ],
    };
  } finally {
    endAll();
    removeScratch(scratch);
  }
}

/** Which test proves which row of the specification. @returns what is wrong with it; all of it counts as one failure. */
function tellRows(results: readonly StepResult[]): readonly string[] {
  const { lines, breaches } = tableOfRows(
    readRows(),
    results.flatMap(({ passed }) => passed),
    readOpenRows(),
  );
  say(
    ["\nThe rows of docs/specification/rows.md, and the test that proves each:", ...lines, "", ...breaches].join("\n"),
  );
  return breaches;
}

if (process.argv.includes("--help")) {
  say(testHelp());
  process.exit(0);
}
const from = performance.now();
let outcome: Outcome = { tally: { passed: 0, failed: 1 }, skipped: 0, failures: [] };
try {
  outcome = await main(process.argv.slice(2));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
}
const { tally, skipped, failures } = outcome;
process.exitCode = tally.failed === 0 ? 0 : 1;
// Last, so that a log whose beginning is cut off names it too.
if (failures.length > 0) say(["\nWhat failed:", ...failures].join("\n"));
if (skipped > 0) say(`\n${skipped} skipped`);
say(`\nTook ${durationOf(performance.now() - from)}.`);
say(`${tally.passed} passed, ${tally.failed} failed`);
