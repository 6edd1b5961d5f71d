import { expect, test } from "vitest";
import { commitSubjects, subjectProblem } from "./commit-subjects.ts";

test("the subject of each commit is imperative and has at most 72 characters", () => {
  const problems = commitSubjects().flatMap((subject) => {
    const problem = subjectProblem(subject);
    return problem === undefined ? [] : [`"${subject}" ${problem}.`];
  });
  expect(problems).toEqual([]);
});

test.each([
  ["Reject a cash-in below the machine's minimum", undefined],
  ["Pass the lease to the next holder", undefined],
  ["Seed the players of a fresh floor", undefined],
  ["Rejects a cash-in", "no imperative"],
  ["Rejected a cash-in", "no imperative"],
  ["Rejecting a cash-in", "no imperative"],
  ["reject a cash-in", "capital letter"],
  ["Reject a cash-in.", "full stop"],
  [`Reject ${"x".repeat(70)}`, "more than 72"],
])("%j: %s", (subject, problem) => {
  expect(subjectProblem(subject)).toEqual(problem === undefined ? undefined : expect.stringContaining(problem));
});
