import type { SourceFile } from "../source/repository.ts";
import { wordsOf } from "./words.ts";

/** Words that a reader of our field has to decode, and what to write instead. */
export const RETIRED: readonly (readonly [words: string, instead: string])[] = [
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

/** Names of files that do not name their content. */
const RETIRED_FILE_NAMES = new Set(
  ["asked", "facts", "part", "parts", "passes", "seldom", "steps", "told", "trial", "turns", "words"].map(
    (name) => `${name}.ts`,
  ),
);

const RETIRED_WORDS = new RegExp(`\\b(?:${RETIRED.map(([words]) => words).join("|")})\\b`, "g");

/** How often retired words occur in the identifiers, comments, texts and file names of each area. */
export function retiredCounts(files: readonly SourceFile[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { path, text } of files) {
    const inText = [...wordsOf(text).matchAll(RETIRED_WORDS)].length;
    const inName = RETIRED_FILE_NAMES.has(path.split("/").at(-1) ?? "") ? 1 : 0;
    const area = areaOf(path);
    counts[area] = (counts[area] ?? 0) + inText + inName;
  }
  return counts;
}

/** `apps/web`, …, `packages`, and `kit`: tooling, launcher, tests and measurements. Moving a file inside an area changes no count. */
function areaOf(path: string): string {
  const [top = "", workspace = ""] = path.split("/");
  if (top === "apps") return `${top}/${workspace}`;
  return top === "packages" ? top : "kit";
}

/** A sentence for each area that has more retired words than its limit. */
export function ratchetBreaches(
  counts: Readonly<Record<string, number>>,
  limits: Readonly<Record<string, number>>,
): string[] {
  return Object.entries(counts)
    .filter(([area, count]) => count > (limits[area] ?? 0))
    .map(
      ([area, count]) =>
        `${area} has ${count} retired words and the limit is ${limits[area] ?? 0}: the list with what to write instead is in tooling/rules/words/plain-words.ts.`,
    );
}
