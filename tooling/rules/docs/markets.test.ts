import { existsSync, readFileSync } from "node:fs";
import { RULE_NAMES } from "@longarm/platform/modules/protection/markets/index";
import { expect, test } from "vitest";
import { readSource, repositoryPaths } from "../source/repository.ts";
import { CLAUSES, CLAUSES_TEST, marketsPage, READERS } from "./markets.ts";

const inRepository = (path: string) => new URL(`../../../${path}`, import.meta.url);

test.each(RULE_NAMES)("the rule %s of a market has code that plays by it and a test", (name) => {
  const reader = READERS[name];
  expect(existsSync(inRepository(reader.file)), `${reader.file} is moved: name the new file in markets.ts`).toBe(true);
  expect(reader.file).not.toMatch(/protection\/markets\/|\.test\.ts$/);
  expect(readFileSync(inRepository(reader.file), "utf8")).toMatch(new RegExp(`\\b${name}\\b`));
  const proof = readFileSync(inRepository(reader.test), "utf8");
  expect(proof, `${reader.test} has no such test any more: name another one in markets.ts`).toContain(reader.title);
});

/* Each clause of each market: its test is there by file and title. */

const clauses = readFileSync(inRepository(CLAUSES_TEST), "utf8");

test("each clause of each market is a test of its own title, and each rule has its proof", () => {
  expect(new Set(CLAUSES.map(({ title }) => title)).size).toBe(CLAUSES.length);
  expect(clauses, "the tests are those of the list").toContain('test.each(CLAUSES)("$title"');
  expect(RULE_NAMES.filter((name) => !CLAUSES.some(({ rule }) => rule === name))).toEqual([]);
  // A proof that is empty, or that looks at nothing, proves nothing.
  for (const name of RULE_NAMES) {
    const [, body = ""] = new RegExp(`^  async ${name}\\(([\\s\\S]*?)^  },$`, "m").exec(clauses) ?? [];
    expect(body, `${name} has no proof in ${CLAUSES_TEST}`).toMatch(/expect/);
  }
});

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
