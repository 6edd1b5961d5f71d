import type { Clock } from "../../ports/clock.ts";
import { messageOf } from "../finding.ts";
import type { FaultName } from "./faults.ts";

/*
 * Commissioning walks a machine through steps. A step is data: what it is called, which steps it builds on, and a function that looks. It ends with
 * an outcome, a sentence and evidence. A failure has a name of the list in faults.ts, and each name has what to check.
 */

/** What a step measured or read, for the report: short names, plain values. */
export type Evidence = Readonly<Record<string, string | number | boolean>>;

/** What a step saw. `mark`: where the picture changed, as shares (0 to 1) of its width and height. */
export type StepPicture = {
  /** Base64. */
  readonly webp: string;
  readonly mark?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
};

/** `noted`: worth knowing, and no reason against the machine. `skipped`: not looked at, `says` has the reason. */
export type StepResult = { readonly says: string; readonly evidence?: Evidence; readonly picture?: StepPicture } & (
  | { readonly outcome: "passed" | "noted" | "skipped" }
  | { readonly outcome: "failed"; readonly fault: FaultName }
);

export interface Step {
  /** Unique in its run, such as `meters` or `button:spin`. */
  readonly id: string;
  /** As a person reads it. */
  readonly title: string;
  /** Ids of steps of this run, or of an earlier one, that must not have failed or been skipped: without them this one says nothing. */
  readonly needs: readonly string[];
  /** Longest time, ms; default 30 s. */
  readonly withinMs?: number;
  /** Rejects when the machine cannot be reached or answers nonsense. */
  run(): Promise<StepResult>;
}

/** A step that has ended. `at`: when it began, ms since 1970. */
export type EndedStep = StepResult & {
  readonly id: string;
  readonly title: string;
  readonly at: number;
  readonly tookMs: number;
};

export const passed = (says: string, evidence?: Evidence): StepResult => ({
  outcome: "passed",
  says,
  ...given(evidence),
});
export const noted = (says: string, evidence?: Evidence): StepResult => ({
  outcome: "noted",
  says,
  ...given(evidence),
});
export const skipped = (says: string): StepResult => ({ outcome: "skipped", says });
export const failed = (fault: FaultName, says: string, evidence?: Evidence): StepResult => ({
  outcome: "failed",
  fault,
  says,
  ...given(evidence),
});

const given = (evidence: Evidence | undefined) => (evidence === undefined ? {} : { evidence });

const STEP_MS_MAX = 30_000;

export interface RunOptions {
  /** Called after each step, so that a person can watch. */
  readonly ended?: (step: EndedStep) => void;
  /** Steps of an earlier run that these may build on. */
  readonly earlier?: readonly EndedStep[];
  /** Ids of the steps that are wanted; the others are skipped, but for those that a wanted one needs. Absent: all. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** Runs the steps in their order, one at a time. */
export async function runSteps(
  steps: readonly Step[],
  clock: Clock,
  { ended = () => undefined, earlier = [], only }: RunOptions = {},
): Promise<EndedStep[]> {
  const done = new Map(earlier.map((step) => [step.id, step]));
  const wanted = only && neededBy(only, steps);
  const own: EndedStep[] = [];
  for (const step of steps) {
    const at = clock.now();
    const result =
      wanted?.has(step.id) === false ? skipped("Left out of this run by --only.") : await runAfter(step, done, clock);
    const record = { ...result, id: step.id, title: step.title, at, tookMs: Math.round(clock.now() - at) };
    done.set(step.id, record);
    own.push(record);
    ended(record);
  }
  return own;
}

/** The wanted steps and all that they build on. */
function neededBy(only: ReadonlySet<string>, steps: readonly Step[]): ReadonlySet<string> {
  const wanted = new Set(only);
  // A step builds only on steps before it.
  for (const step of steps.toReversed()) if (wanted.has(step.id)) for (const id of step.needs) wanted.add(id);
  return wanted;
}

function runAfter(step: Step, done: ReadonlyMap<string, EndedStep>, clock: Clock): Promise<StepResult> | StepResult {
  const missing = step.needs.find((id) => !["passed", "noted"].includes(done.get(id)?.outcome ?? ""));
  if (missing === undefined) return runOne(step, clock);
  return skipped(`Not looked at, because "${done.get(missing)?.title ?? missing}" did not pass.`);
}

async function runOne({ run, withinMs = STEP_MS_MAX }: Step, clock: Clock): Promise<StepResult> {
  const late = Promise.withResolvers<StepResult>();
  const stop = clock.after(withinMs, () =>
    late.resolve(failed("step.late", `No result within ${Math.round(withinMs / 1_000)} s.`)),
  );
  try {
    return await Promise.race([run(), late.promise]);
  } catch (error) {
    return failed("machine.silent", `The machine gave no valid answer: ${messageOf(error)}`);
  } finally {
    stop();
  }
}

/** Looks every 20 ms until `look` finds something or `withinMs` have passed; then undefined. Rejects as `look` does. */
export async function until<T>(
  clock: Clock,
  withinMs: number,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const endsAt = clock.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (clock.now() >= endsAt) return undefined;
    await new Promise<void>((resolve) => void clock.after(20, resolve));
  }
}
