import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RETIRED } from "../words/plain-words.ts";

const root = join(import.meta.dirname, "../../..");

/** Written for players' staff, operators and developers. Left out: what is generated, quoted from the specification, or full of tests' titles. */
const PAGES = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...["README", "architecture", "operating", "performance", "reliability"].map((name) => `docs/${name}.md`),
  ...readdirSync(join(root, "docs/operating"))
    .filter((name) => name !== "commands.md")
    .map((name) => `docs/operating/${name}`),
];

/** A sentence for each retired word of a page, outside of code and of what it quotes. */
function retiredWords(page: string): string[] {
  const prose = page
    .replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ""))
    .replaceAll(/`[^`\n]*`|"[^"\n]*"|\]\([^)\s]*\)/g, "");
  return prose
    .split("\n")
    .flatMap((line, at) =>
      RETIRED.flatMap(([words, instead]) =>
        [...line.matchAll(new RegExp(`\\b(?:${words})\\b`, "gi"))].map(
          ([found]) => `line ${at + 1}: instead of "${found}" write ${instead}`,
        ),
      ),
    );
}

test.each(PAGES)("%s uses no retired word", (page) => {
  expect(retiredWords(readFileSync(join(root, page), "utf8"))).toEqual([]);
});

test("a retired word is found in prose, and left alone in code and quotes", () => {
  expect(retiredWords('The player is told.\n`told` and "told"\n```\nasked\n```\nIt goes on.')).toEqual([
    'line 1: instead of "told" write reports, returns, notifies, logs',
    'line 6: instead of "goes on" write continues',
  ]);
});
