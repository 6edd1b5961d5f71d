import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/* `node tooling/rules/docs/count-words.ts`: the words of each document. Specification and decision records are left out; generated pages count apart. */

const root = join(import.meta.dirname, "../../..");
const GENERATED = ["docs/operating/commands.md", "docs/settings.md"];
const LEFT_OUT = /^docs\/(specification|decisions)\//;

const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => join("docs", name))
  .filter((name) => !LEFT_OUT.test(name));

/** What a reader reads: a run of characters with a letter or a figure in it, so that the lines of a table count for nothing. */
const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

const counted = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...pages.toSorted()].map(
  (page) => [page, wordsOf(readFileSync(join(root, page), "utf8"))] as const,
);
const sumOf = (wanted: (page: string) => boolean): number =>
  counted.filter(([page]) => wanted(page)).reduce((sum, [, words]) => sum + words, 0);

for (const [page, words] of counted) console.log(`${String(words).padStart(6)}  ${page}`);
console.log(`${String(sumOf((page) => !GENERATED.includes(page))).padStart(6)}  written by people`);
console.log(`${String(sumOf((page) => GENERATED.includes(page))).padStart(6)}  generated`);
