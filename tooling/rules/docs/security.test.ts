import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answeredIn, requirements, testsNamedIn } from "./security.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const page = read("docs/security.md");

test("docs/security.md answers every requirement of levels 1 and 2 once", () => {
  const answered = answeredIn(page);
  expect(requirements.filter((id) => !answered.includes(id))).toEqual([]);
  expect(answered.filter((id, at) => !requirements.includes(id) || answered.indexOf(id) !== at)).toEqual([]);
});

test("every test that docs/security.md names is there", () => {
  const named = testsNamedIn(page);
  expect(named.length).toBeGreaterThan(80);
  const lost = named.filter(({ file, title }) => !existsSync(join(root, file)) || !read(file).includes(title));
  expect(lost).toEqual([]);
});

test("a requirement without an answer and a test without a file are found", () => {
  const small = '| 1.1.1, 1.1.2 | `one` "does it"; `two` "too" |\n\n| `one` | `a/one.test.ts` |';
  expect(answeredIn(small)).toEqual(["1.1.1", "1.1.2"]);
  expect(testsNamedIn(small)).toEqual([
    { file: "a/one.test.ts", title: "does it" },
    { file: "two", title: "too" },
  ]);
});
