import { describe, expect, test } from "vitest";
import type { PassedTest } from "./tally.ts";
import { failedTests, passedTests, sumTallies, tallyReport } from "./tally.ts";
import { tellFailures, tellSecondTries } from "./tell.ts";

const report = (numPassedTests: number, ...files: { status: string; tests?: string[] }[]) =>
  JSON.stringify({
    numPassedTests,
    testResults: files.map(({ status, tests = [] }) => ({
      status,
      assertionResults: tests.map((one) => ({ status: one })),
    })),
  });

describe("a run is counted", () => {
  test.each([
    ["all passed", report(2, { status: "passed", tests: ["passed", "passed"] }), true, 2, 0],
    ["one failed", report(1, { status: "failed", tests: ["passed", "failed"] }), false, 1, 1],
    ["a test left out", report(1, { status: "passed", tests: ["passed", "skipped"] }), true, 1, 1],
    [
      "a file that could not be loaded",
      report(1, { status: "passed", tests: ["passed"] }, { status: "failed" }),
      false,
      1,
      1,
    ],
    ["an error outside of any test", report(1, { status: "passed", tests: ["passed"] }), false, 1, 1],
    ["no test at all", report(0), true, 0, 1],
    ["no report", undefined, false, 0, 1],
    ["a broken report", "{", true, 0, 1],
    ["something else", "[]", true, 0, 1],
  ])("%s", (_, text, endedWell, passed, failed) => {
    expect(tallyReport(text, endedWell)).toEqual({ passed, failed });
  });
  test("a test of the long form is not missed by the short one, and any other that is left out is", () => {
    const test = (tags: string[]) => ({ fullName: "one", status: "skipped", tags });
    const reportOf = (...assertionResults: object[]) =>
      JSON.stringify({ numPassedTests: 1, testResults: [{ name: "a.test.ts", status: "passed", assertionResults }] });
    expect(tallyReport(reportOf(test(["long"])), true)).toEqual({ passed: 1, failed: 0 });
    expect(failedTests(reportOf(test(["long"])))).toEqual([]);
    expect(tallyReport(reportOf(test(["slow"])), true)).toEqual({ passed: 1, failed: 1 });
  });
});

test("tallies are summed", () => {
  expect(
    sumTallies([
      { passed: 1, failed: 2 },
      { passed: 3, failed: 0 },
    ]),
  ).toEqual({ passed: 4, failed: 2 });
});

test("a test that passed at its second try is named with why it failed first", () => {
  const assertions = ["steady", "shaky"].map((fullName) => ({ status: "passed", fullName }));
  const json = JSON.stringify({
    numPassedTests: 2,
    testResults: [{ name: "a.test.ts", assertionResults: assertions }],
  });
  const [steady, shaky] = passedTests(json).map((test) => ({ ...test }));
  expect([steady?.title, shaky?.title]).toEqual(["steady", "shaky"]);
  const passed = [steady, { ...shaky, failedFirst: "Error: late\n  at x" }] as PassedTest[];
  expect(tellSecondTries({ passed })).toEqual(["       second try: a.test.ts: shaky: Error: late"]);
});

describe("what failed is named in few lines", () => {
  const one = { passed: 0, failed: 1 };
  const file = (status: string, message: string, ...assertionResults: object[]) =>
    JSON.stringify({ numPassedTests: 0, testResults: [{ name: "a.test.ts", status, message, assertionResults }] });
  const lines = (text: string) => tellFailures({ tally: one, failed: failedTests(text), output: "" });

  test("a test by its file, its title and the first line of each try", () => {
    const failureMessages = ["\u001b[31mError: late\u001b[0m\n  at x", "Error: too late\n  at y"];
    expect(lines(file("failed", "", { status: "failed", fullName: "the door opens", failureMessages }))).toEqual([
      "       failed: a.test.ts: the door opens: Error: late",
      "         second try: Error: too late",
    ]);
  });
  test("a file that could not begin once, and not each of its tests", () => {
    const left = { status: "skipped", fullName: "the door opens", failureMessages: [] };
    expect(lines(file("failed", "no database", left, left))).toEqual(["       failed: a.test.ts: no database"]);
  });
  test("a test that was left out", () => {
    expect(lines(file("passed", "", { status: "skipped", fullName: "the door opens" }))).toEqual([
      "       failed: a.test.ts: the door opens: left out",
    ]);
  });
  test("no more than twenty", () => {
    const many = Array.from({ length: 23 }, (_, n) => ({ status: "failed", fullName: `${n}`, failureMessages: ["x"] }));
    const told = lines(file("failed", "", ...many));
    expect([told.length, told.at(-1)]).toEqual([21, "       and 3 more"]);
  });
  test("without a named failure the error that no test has caught, or the first words", () => {
    const tell = (output: string) => tellFailures({ tally: one, failed: [], output });
    expect(tell("✓ fine\n\n⎯⎯ Unhandled Rejection ⎯⎯\nError: gone")).toEqual([
      "       ⎯⎯ Unhandled Rejection ⎯⎯",
      "       Error: gone",
    ]);
    expect(tell("a.ts(1,2): error TS1\n".repeat(9))).toHaveLength(4);
    expect(tellFailures({ tally: { passed: 1, failed: 0 }, failed: [], output: "fine" })).toEqual([]);
  });
});
