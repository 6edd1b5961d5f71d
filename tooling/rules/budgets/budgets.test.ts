import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tellBreaches } from "../source/breach.ts";
import { codeFiles, styleFiles } from "../source/repository.ts";
import type { Offenders } from "./ratchet.ts";
import { measure, ratchetBreaches, stops } from "./ratchet.ts";

test("files and functions of the repository keep their limits", () => {
  const files = codeFiles();
  const offenders: Offenders = JSON.parse(readFileSync(join(import.meta.dirname, "../budgets.json"), "utf8"));
  const measured = [...files, ...styleFiles()].flatMap(measure);
  expect(tellBreaches(ratchetBreaches(measured, offenders))).toEqual([]);
});

const lines = (count: number, line = "work();\n") => line.repeat(count);
const check = (path: string, text: string, offenders: Offenders = {}) =>
  tellBreaches(ratchetBreaches(measure({ path, text }), offenders));

describe("the budgets", () => {
  test("stop a long file, and let a long test be longer", () => {
    expect(check("a/long.ts", lines(stops.file + 1))).toEqual([
      "a/long.ts has 601 lines, the limit is 600: split it by its ideas.",
    ]);
    expect(check("a/long.ts", lines(stops.file))).toEqual([]);
    expect(check("a/long.test.ts", lines(stops.testFile))).toEqual([]);
    expect(check("a/long.module.css", lines(stops.file + 1, ".a {}\n"))).toEqual([
      expect.stringContaining("601 lines"),
    ]);
  });

  test("stop a long function, whatever form it has, by its name", () => {
    const body = lines(stops.function);
    expect(check("a/f.ts", `function far() {\n${body}}\n`)).toEqual([
      expect.stringMatching(/^a\/f.ts#far:1 has 72 lines/),
    ]);
    expect(check("a/f.ts", `const far = () => {\n${body}};\n`)).toEqual([expect.stringContaining("#far:1")]);
    expect(check("a/f.ts", `class A {\n  far() {\n${body}}\n}\n`)).toEqual([expect.stringContaining("#far:2")]);
    expect(check("a/f.ts", `on(() => {\n${body}});\n`)).toEqual([expect.stringContaining("#anonymous:1")]);
  });

  test("let a component be longer, and a describe as long as it likes", () => {
    const body = lines(100);
    expect(check("a/f.tsx", `export function Panel() {\n${body}}\n`)).toEqual([]);
    expect(check("a/f.tsx", `export function usePanel() {\n${body}}\n`)).toHaveLength(1);
    expect(check("a/f.test.ts", `describe.each([1])("x", () => {\n${lines(300)}});\n`)).toEqual([]);
    expect(check("a/f.test.ts", `test("x", () => {\n${lines(300)}});\n`)).toHaveLength(1);
  });
});

describe("the list of old offenders", () => {
  test.each([
    ["may not grow", 700, { "a/long.ts": 699 }, "grew from 699 to 700"],
    ["shrinks when the file shrinks", 700, { "a/long.ts": 701 }, "write 700"],
    ["loses what fits", 200, { "a/long.ts": 700 }, "fits now"],
    ["loses what is gone", 200, { "a/other.ts": 700 }, "is gone"],
  ])("%s", (_, count, offenders, sentence) => {
    expect(check("a/long.ts", lines(count), offenders)).toEqual([expect.stringContaining(sentence)]);
  });
  test("keeps what has not changed", () => {
    expect(check("a/long.ts", lines(700), { "a/long.ts": 700 })).toEqual([]);
  });
});
