import { expect, test } from "vitest";
import { readSource, repositoryPaths } from "../source/repository.ts";
import { answeredIn, filesNamed, requirements, testsNamedIn } from "./security.ts";

const page = readSource("docs/security.md").text;

test("docs/security.md answers every requirement of levels 1 and 2 once", () => {
  const answered = answeredIn(page);
  expect(requirements.filter((id) => !answered.includes(id))).toEqual([]);
  expect(answered.filter((id, at) => !requirements.includes(id) || answered.indexOf(id) !== at)).toEqual([]);
});

test("every test that docs/security.md names is in the one file of that name", () => {
  const named = testsNamedIn(page);
  expect(named.length).toBeGreaterThan(80);
  const paths = repositoryPaths();
  const lost = named.filter(({ file, title }) => {
    const [path, ...others] = filesNamed(file, paths);
    return path === undefined || others.length > 0 || !readSource(path).text.includes(title);
  });
  expect(lost).toEqual([]);
});

test("a requirement without an answer and a test without a file are found", () => {
  const small = '| 1.1.1, 1.1.2 | `a/one` "does it"; `two` "too" |';
  expect(answeredIn(small)).toEqual(["1.1.1", "1.1.2"]);
  expect(testsNamedIn(small)).toEqual([
    { file: "a/one", title: "does it" },
    { file: "two", title: "too" },
  ]);
  expect(filesNamed("a/one", ["a/one.test.ts", "b/one.test.ts", "a/one.ts"])).toEqual(["a/one.test.ts"]);
  expect(filesNamed("two", ["a/one-two.test.ts"])).toEqual([]);
});
