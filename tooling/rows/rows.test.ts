import { describe, expect, test } from "vitest";
import { codeFiles } from "../rules/source/repository.ts";
import { readOpenRows } from "./open-rows.ts";
import { parseRows, readRows } from "./read-rows.ts";
import { tableOfRows } from "./table.ts";

const rows = [
  { id: "R-1-01", requirement: "A player can log in." },
  { id: "R-2.1-02", requirement: "`/lobby` shows the lobby." },
];
const none = { count: 0, rows: {} };
const proof = (title: string) => ({ file: "e2e/x.test.ts", title });

test("the specification has 495 rows, each with an id of its own", () => {
  const ids = readRows().map(({ id }) => id);
  expect(ids).toHaveLength(495);
  expect(new Set(ids).size).toBe(495);
});

test("rows are read from the tables, and nothing else is", () => {
  const text =
    "| Id | Area | Requirement |\n|---|---|---|\n| R-2.10-07 | shell | It closes. | Click. | D-01 |\nR-1-01 | x\n";
  expect(parseRows(text)).toEqual([{ id: "R-2.10-07", requirement: "It closes." }]);
});

describe("the table", () => {
  test("names the first test of each row and how many more there are", () => {
    const proofs = [proof("R-1-01, R-2.1-02: logs in"), proof("logs in twice (R-1-01)")];
    const { lines, breaches } = tableOfRows(rows, proofs, none);
    expect(lines).toEqual(["R-1-01    e2e/x.test.ts: logs in (+1)", "R-2.1-02  e2e/x.test.ts: logs in"]);
    expect(breaches).toEqual([]);
  });

  test("complains of a row without a test, with what it asks for", () => {
    expect(tableOfRows(rows, [proof("R-1-01: x")], none).breaches).toEqual([
      "R-2.1-02 has no test that passed and names it: `/lobby` shows the lobby.",
    ]);
  });

  test("lets a row be open, but not once it has its test", () => {
    const open = { count: 1, rows: { "R-2.1-02": "the lobby" } };
    expect(tableOfRows(rows, [proof("R-1-01: x")], open)).toMatchObject({ breaches: [] });
    expect(tableOfRows(rows, [proof("R-1-01, R-2.1-02: x")], open).breaches).toEqual([
      "R-2.1-02 has its test: take it off tooling/rows/open.json.",
    ]);
  });

  test("complains of ids that are no rows, in titles and in the list, and of a list that lost count", () => {
    const open = { count: 2, rows: { "R-9-99": "x" } };
    expect(tableOfRows(rows, [proof("R-1-01, R-2.1-02, R-7-77: x")], open).breaches).toEqual([
      'e2e/x.test.ts: "R-1-01, R-2.1-02, R-7-77: x" names R-7-77, which is no row.',
      "R-9-99 in tooling/rows/open.json is no row.",
      "tooling/rows/open.json holds 1 rows but says 2.",
    ]);
  });
});

/** Titles are only known once they have passed; the text of the files shows a forgotten row in a second. */
test("every row is named in a test's file, or open, and never both", () => {
  const { rows: open } = readOpenRows();
  const files = codeFiles().filter(({ path }) => /\.test\.tsx?$/.test(path) && !path.startsWith("tooling/rows/"));
  const named = new Set(files.flatMap(({ text }) => text.match(/R-\d[\d.]*-\d\d\b/g) ?? []));
  const wrong = readRows().filter(({ id }) => named.has(id) === id in open);
  expect(wrong).toEqual([]);
});

test("the list of open rows keeps its own count", () => {
  const { count, rows: open } = readOpenRows();
  expect(Object.keys(open)).toHaveLength(count);
});
