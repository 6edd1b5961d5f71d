import { describe, expect, test } from "vitest";
import { passedTests, sumTallies, tallyReport } from "./tally.ts";
import { tellSecondTries } from "./tell.ts";

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
});

test("tallies are summed", () => {
  expect(
    sumTallies([
      { passed: 1, failed: 2 },
      { passed: 3, failed: 0 },
    ]),
  ).toEqual({ passed: 4, failed: 2 });
});

test("a test that passed at its second try is told with why it failed first", () => {
  const assertions = [
    { status: "passed", fullName: "steady", failureMessages: [] },
    { status: "passed", fullName: "shaky", failureMessages: ["Error: late\n  at x"] },
    { status: "failed", fullName: "broken", failureMessages: ["Error: never"] },
  ];
  const told = {
    numPassedTests: 2,
    testResults: [{ name: "a.test.ts", status: "failed", assertionResults: assertions }],
  };
  const passed = passedTests(JSON.stringify(told));
  expect(passed.map(({ title }) => title)).toEqual(["steady", "shaky"]);
  expect(tellSecondTries({ passed })).toEqual(["       second try: a.test.ts: shaky: Error: late"]);
});
