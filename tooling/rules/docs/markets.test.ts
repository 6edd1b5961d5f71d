import { existsSync, readFileSync } from "node:fs";
import { RULE_NAMES } from "@longarm/platform/modules/protection/markets/index";
import { expect, test } from "vitest";
import { readSource, repositoryPaths } from "../source/repository.ts";
import { marketsPage, READERS } from "./markets.ts";

const inRepository = (path: string) => new URL(`../../../${path}`, import.meta.url);

test.each(RULE_NAMES)(
  "the rule %s of a market has code that plays by it, or docs/markets.md says that none does",
  (name) => {
    const reader = READERS[name];
    if ("notEnforced" in reader) {
      expect(marketsPage()).toContain(`\`${name}\`: ${reader.notEnforced}`);
      return;
    }
    expect(existsSync(inRepository(reader.file)), `${reader.file} is moved: name the new file in markets.ts`).toBe(
      true,
    );
    expect(reader.file).not.toMatch(/protection\/markets\/|\.test\.ts$/);
    expect(readFileSync(inRepository(reader.file), "utf8")).toMatch(new RegExp(`\\b${name}\\b`));
    const proof = readFileSync(inRepository(reader.test), "utf8");
    expect(proof, `${reader.test} has no such test any more: name another one in markets.ts`).toContain(reader.title);
  },
);

test("the page of the markets is as generated", () => {
  expect(readFileSync(new URL("../../../docs/markets.md", import.meta.url), "utf8")).toBe(marketsPage());
});

/* docs/player-protection.md: what is said to be enforced names a test that is there. */

const files = repositoryPaths();
const rows = readSource("docs/player-protection.md")
  .text.split("\n")
  .filter((line) => /^\| /.test(line) && !/^\| (# \||what \||measure \||---|`)/.test(line))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));

test.each(rows.map((cells) => [cells.join(" | ").slice(0, 60), cells] as const))(
  "%s: names its tests",
  (_row, cells) => {
    const [where, proof] = [cells.at(-2) ?? "", cells.at(-1) ?? ""];
    if (/^no\b/.test(where)) return;
    const named = [...proof.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    expect(named.length, "it says yes without a test").toBeGreaterThan(0);
    for (const name of named) {
      expect(name).toMatch(/\.(test\.tsx?|conformance\.ts)$/);
      expect(
        files.filter((path) => path === name || path.endsWith(`/${name}`)),
        name,
      ).toHaveLength(1);
    }
  },
);
