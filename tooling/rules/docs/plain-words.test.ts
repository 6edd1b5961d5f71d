import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** Words that a reader of our field has to decode, and what to write instead. */
const RETIRED: readonly (readonly [words: string, instead: string])[] = [
  ["told|tells?", "reports, returns, notifies, logs"],
  ["asked", "requested, queried, called"],
  ["nobody|whoever", "no player, no row; or name the actor"],
  ["stands?|stood", "is, is kept, means"],
  ["mended", "fixed, repaired"],
  ["holes?", "vulnerability"],
  ["hears?|heard", "receives, observes"],
  ["the house|a house", "platform, venue, operator, house account: say which"],
  ["loose ends?", "unresolved transfer"],
  ["parted by", "separated by"],
  ["goes on|go on|went on", "continues"],
  ["its how manieth", "sequence number"],
];

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
