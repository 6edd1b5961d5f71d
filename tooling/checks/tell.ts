import type { StepResult } from "./run-step.ts";

/** One line: how it went and how long it took. */
export function tellResult({ step, tally, tookMs, timedOut }: StepResult): string {
  const word = tally.failed === 0 ? "ok  " : "FAIL";
  const seconds = `${(tookMs / 1000).toFixed(1)} s`.padStart(8);
  const counts = step.tests ? `${tally.passed} passed${tally.failed === 0 ? "" : `, ${tally.failed} failed`}` : "";
  const late = timedOut ? `killed after ${step.limitMs / 1000} s` : "";
  return [word, seconds, " ", step.name.padEnd(28), [counts, late].filter(Boolean).join(", ")].join(" ").trimEnd();
}

/** One line for each test that failed and then passed: nothing to be proud of, and to be mended. */
export function tellSecondTries({ passed }: Pick<StepResult, "passed">): string[] {
  return passed.flatMap(({ file, title, failedFirst }) =>
    failedFirst === undefined ? [] : [`       second try: ${file}: ${title}: ${failedFirst.split("\n")[0]}`],
  );
}

/** More than this of one step helps nobody; its end says what went wrong. */
const linesShown = 1_500;

export function tellOutput({ step, output }: StepResult): string {
  const lines = output.trimEnd().split("\n");
  const left = lines.length - linesShown;
  const shown = left > 0 ? [`(${left} lines left out)`, ...lines.slice(-linesShown)] : lines;
  return [`\n---- ${step.name}: npx ${step.command.join(" ")}`, ...shown, ""].join("\n");
}
