import { existsSync, readFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { runToEnd } from "./processes.ts";
import type { Step } from "./steps.ts";
import type { FailedTest, PassedTest, Tally } from "./tally.ts";
import { failedTests, passedTests, tallyReport } from "./tally.ts";

export interface StepResult {
  step: Step;
  tally: Tally;
  tookMs: number;
  timedOut: boolean;
  output: string;
  /** The tests that passed; their files are paths in the repository. */
  passed: PassedTest[];
  /** Those that did not. */
  failed: FailedTest[];
}

export interface Room {
  /** The repository. */
  root: string;
  /** An empty folder for reports and output. */
  scratch: string;
  /** The steps' own folder for temporary files, so that runs side by side do not meet and nothing is left. */
  temporary: string;
  env: NodeJS.ProcessEnv;
}

export async function runStep(step: Step, { root, scratch, temporary, env }: Room): Promise<StepResult> {
  const started = performance.now();
  const name = step.name.replace(/\W+/g, "-");
  const reportPath = join(scratch, `${name}.json`);
  const outputPath = join(scratch, `${name}.txt`);
  const [program, ...args] = step.command;
  const report = step.tests ? ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`] : [];
  const programs = join(root, "node_modules/.bin");
  const ended = await runToEnd({
    path: join(programs, program),
    args: [...args, ...report],
    cwd: root,
    env: { ...env, ...step.env, TMPDIR: temporary, PATH: `${programs}${delimiter}${env["PATH"] ?? ""}` },
    outputPath,
    limitMs: step.limitMs,
  });
  const one = ended.well ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const told = step.tests && existsSync(reportPath) ? readFileSync(reportPath, "utf8") : undefined;
  const tally = step.tests ? tallyReport(told, ended.well) : one;
  const fromRoot = <T extends { file: string }>(test: T): T => ({ ...test, file: relative(root, test.file) });
  return {
    ...{ step, tally, tookMs: performance.now() - started, timedOut: ended.timedOut },
    output: readFileSync(outputPath, "utf8"),
    passed: passedTests(told).map(fromRoot),
    failed: failedTests(told).map(fromRoot),
  };
}

/** More files than these are one fault, not a slow computer. */
const FILES_TRIED_AGAIN = 12;
/** A second try is killed after this: what it repeats is a few files of a step. */
const SECOND_TRY_MS = 20 * 60_000;

/**
 * Runs the files in which tests failed once more, when all else has ended and one after the other, and answers the results with those in place of the
 * first ones. A step that failed outside of its tests, and a run in which many files failed, stay as they are.
 */
export async function trySecondTime(
  results: readonly StepResult[],
  runOne: (step: Step) => Promise<StepResult>,
): Promise<StepResult[]> {
  const filesOf = ({ failed }: StepResult): string[] => [...new Set(failed.map(({ file }) => file))];
  if (results.flatMap(filesOf).length > FILES_TRIED_AGAIN) return [...results];
  const after: StepResult[] = [];
  for (const first of results) {
    const files = filesOf(first);
    if (files.length === 0) {
      after.push(first);
      continue;
    }
    const { step } = first;
    const again = { ...step, name: `${step.name}, second try`, limitMs: SECOND_TRY_MS };
    const second = await runOne({ ...again, command: [...step.command, "--maxWorkers=1", ...files] });
    after.push(withSecondTry(first, second, files));
  }
  return after;
}

function withSecondTry(first: StepResult, second: StepResult, files: readonly string[]): StepResult {
  const isSame = (one: { file: string; title?: string }, other: { file: string; title?: string }): boolean =>
    one.file === other.file && one.title === other.title;
  const firstWhy = (test: { file: string; title?: string }): readonly string[] =>
    first.failed.find((failed) => isSame(failed, test))?.why ?? [];
  const kept = first.passed.filter(({ file }) => !files.includes(file));
  const passed = second.passed.map((test) => {
    const [failedFirst] = firstWhy(test);
    return failedFirst === undefined ? test : { ...test, failedFirst };
  });
  return {
    ...first,
    tookMs: first.tookMs + second.tookMs,
    tally: { passed: kept.length + second.tally.passed, failed: second.tally.failed },
    output: second.tally.failed === 0 ? first.output : `${first.output}\n${second.output}`,
    passed: [...kept, ...passed],
    failed: second.failed.map((test) => ({ ...test, why: [...firstWhy(test), ...test.why] })),
  };
}

/** Runs all, `atOnce` at a time: the quick ones first, at the end one by one those that want to be alone. One that fails stops no other. */
export async function runSteps(
  steps: readonly Step[],
  atOnce: { quick: number; long: number },
  runOne: (step: Step) => Promise<StepResult>,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const lane = async (queue: Step[]): Promise<void> => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) results.push(await runOne(step));
  };
  const kindOf = ({ quick, alone }: Step): "quick" | "long" | "alone" =>
    (quick && "quick") || (alone ? "alone" : "long");
  for (const [kind, width] of [...Object.entries(atOnce), ["alone", 1] as const]) {
    const queue = steps.filter((step) => kindOf(step) === kind);
    await Promise.all(Array.from({ length: width }, () => lane(queue)));
  }
  return results;
}
