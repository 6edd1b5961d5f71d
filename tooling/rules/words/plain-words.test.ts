import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeFiles } from "../source/repository.ts";
import { ratchetBreaches, retiredCounts } from "./plain-words.ts";

/** These name the words that they forbid. */
const isOfTheRule = (path: string): boolean => /^tooling\/rules\/(words|docs\/plain-words)/.test(path);

test("no area of the code has more retired words than its limit, which only shrinks", () => {
  const limits: Record<string, number> = JSON.parse(
    readFileSync(join(import.meta.dirname, "plain-words.json"), "utf8"),
  );
  const files = codeFiles().filter(({ path }) => !isOfTheRule(path));
  expect(ratchetBreaches(retiredCounts(files), limits)).toEqual([]);
});

test("retired words are counted in identifiers, comments, texts and file names", () => {
  const files = [
    { path: "apps/web/src/told.ts", text: "const toldPlayer = 1; // nobody is asked\n" },
    { path: "e2e/a.test.ts", text: `test("whoever holds it", () => untold(behold));` },
  ];
  expect(retiredCounts(files)).toEqual({ "apps/web": 4, kit: 1 });
});

test("an area above its limit is named, one below it is fine", () => {
  expect(ratchetBreaches({ kit: 2, packages: 1 }, { kit: 3 })).toEqual([expect.stringContaining("packages has 1")]);
});
