import { stripVTControlCharacters } from "node:util";
import type { StepResult } from "./run-step.ts";

/** One line: how it went and how long it took. */
export function tellResult({ step, tally, tookMs, timedOut }: StepResult): string {
  const word = tally.failed === 0 ? "ok  " : "FAIL";
  const seconds = `${(tookMs / 1000).toFixed(1)} s`.padStart(8);
  const counts = step.tests ? `${tally.passed} passed${tally.failed === 0 ? "" : `, ${tally.failed} failed`}` : "";
  const late = timedOut ? `killed after ${step.limitMs / 1000} s` : "";
  return [word, seconds, " ", step.name.padEnd(28), [counts, late].filter(Boolean).join(", ")].join(" ").trimEnd();
}

/** As "11 min 4 s". */
export function durationOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** One line for each test that failed and then passed: nothing to be proud of, and to be mended. */
export function tellSecondTries({ passed }: Pick<StepResult, "passed">): string[] {
  return passed.flatMap(({ file, title, failedFirst }) =>
    failedFirst === undefined ? [] : [`       second try: ${file}: ${title}: ${firstLine(failedFirst)}`],
  );
}

/** More names than these are one fault, not many. */
const failuresNamed = 20;

/**
 * What failed, by name, and why, in few lines: they stand where a log that is cut short still has them. A step without named failures
 * tells the beginning of its own words.
 */
export function tellFailures({ tally, failed, output }: Pick<StepResult, "tally" | "failed" | "output">): string[] {
  if (tally.failed === 0) return [];
  if (failed.length === 0) return firstWords(output).map((line) => `       ${line}`);
  const more = failed.length - failuresNamed;
  return [
    ...failed
      .slice(0, failuresNamed)
      .flatMap(({ file, title, why: [first = "left out", ...again] }) => [
        `       failed: ${[file, title, firstLine(first)].filter(Boolean).join(": ")}`,
        ...again.map((next) => `         second try: ${firstLine(next)}`),
      ]),
    ...(more > 0 ? [`       and ${more} more`] : []),
  ];
}

const lengthShown = 400;
const firstLine = (text: string): string =>
  stripVTControlCharacters(text).trimStart().split("\n", 1).join("").slice(0, lengthShown);

const firstLines = 4;

/** From the error that no test has caught, when there is one. */
function firstWords(output: string): string[] {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const uncaught = lines.findIndex((line) => /^\W*(Unhandled|Startup) /.test(line));
  return lines.slice(Math.max(0, uncaught)).slice(0, firstLines).map(firstLine);
}

/** More than this of one step helps nobody; its end says what went wrong. */
const linesShown = 1_500;

export function tellOutput({ step, output }: StepResult): string {
  const lines = output.trimEnd().split("\n");
  const left = lines.length - linesShown;
  const shown = left > 0 ? [`(${left} lines left out)`, ...lines.slice(-linesShown)] : lines;
  return [`\n---- ${step.name}: npx ${step.command.join(" ")}`, ...shown, ""].join("\n");
}
