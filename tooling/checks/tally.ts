export interface Tally {
  passed: number;
  failed: number;
}

interface Assertion {
  status: string;
  fullName: string;
  tags?: string[];
  failureMessages?: string[];
}

/** A test that passed, with its file as the report names it. */
export interface PassedTest {
  file: string;
  title: string;
  /** Why its first try failed, when it needed a second. */
  failedFirst?: string;
}

/** A test that did not pass, or a file whose tests could not begin. */
export interface FailedTest {
  file: string;
  /** Absent: it is the file. */
  title?: string;
  /** Of each try, the first one first; empty: it was left out. */
  why: readonly string[];
}

/** The parts of Vitest's JSON report that we read. */
interface Report {
  numPassedTests: number;
  /** `message`: what failed outside of its tests, as in a hook for all of them. */
  testResults: { name: string; status: string; message?: string; assertionResults: Assertion[] }[];
}

/**
 * Counts a Vitest run. A file that failed before its tests ran counts as one failure, so does a test that was left out,
 * and so does a run that ended badly although every test passed (an error outside of any test, no report at all).
 */
export function tallyReport(text: string | undefined, endedWell: boolean): Tally {
  const report = readReport(text);
  if (report === undefined) return { passed: 0, failed: 1 };
  const failedOf = report.testResults.map(({ status, assertionResults }) => {
    const notPassed = assertionResults.filter((test) => test.status !== "passed").length;
    return notPassed === 0 && status === "failed" ? 1 : notPassed;
  });
  const failed = failedOf.reduce((sum, count) => sum + count, 0);
  const silent = failed === 0 && (!endedWell || report.numPassedTests === 0);
  return { passed: report.numPassedTests, failed: silent ? 1 : failed };
}

export function passedTests(text: string | undefined): PassedTest[] {
  return (readReport(text)?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "passed")
      .map(({ fullName }) => ({ file: name, title: fullName })),
  );
}

export function failedTests(text: string | undefined): FailedTest[] {
  return (readReport(text)?.testResults ?? []).flatMap(({ name, status, message = "", assertionResults }) => {
    const isLost = status === "failed" && message !== "";
    // With a file that could not begin all its tests are left out: the file says why.
    const failed = assertionResults.filter((test) => test.status === "failed" || (test.status !== "passed" && !isLost));
    return [
      ...(isLost ? [{ file: name, why: [message] }] : []),
      ...failed.map(({ fullName, failureMessages = [] }) => ({ file: name, title: fullName, why: failureMessages })),
    ];
  });
}

function readReport(text: string | undefined): Report | undefined {
  try {
    const report: Report = JSON.parse(text ?? "");
    if (!Array.isArray(report.testResults) || !Number.isSafeInteger(report.numPassedTests)) return undefined;
    return {
      ...report,
      testResults: report.testResults.map((file) => ({
        ...file,
        assertionResults: (file.assertionResults ?? []).filter((test) => !isForLater(test)),
      })),
    };
  } catch {
    return undefined;
  }
}

/** The filter of `vitest.config.ts` left it to `npm test -- all`, which has no filter. */
const isForLater = ({ status, tags = [] }: Assertion): boolean => status === "skipped" && tags.includes("long");

export const sumTallies = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
  failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
});
