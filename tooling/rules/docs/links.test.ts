import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { relativeLinks } from "./links.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

const AT_THE_TOP = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];

test.each([...AT_THE_TOP, ...pagesIn("docs")])("%s links to files that are there", (page) => {
  const lost = relativeLinks(read(page)).filter((target) => !existsSync(join(root, dirname(page), target)));
  expect(lost).toEqual([]);
});

test("docs/operating.md leads to every page of operating/", () => {
  const linked = new Set(relativeLinks(read("docs/operating.md")).map((target) => join("docs", target)));
  expect(pagesIn("docs/operating").filter((page) => !linked.has(page))).toEqual([]);
});

test("docs/README.md leads to every document", () => {
  // The runbooks have a table of their own, which it leads to.
  const linked = new Set(
    ["docs", "docs/runbooks"].flatMap((folder) =>
      relativeLinks(read(`${folder}/README.md`)).map((target) => join(folder, target)),
    ),
  );
  const listed = pagesIn("docs").filter((page) => !page.startsWith("docs/decisions/") && page !== "docs/README.md");
  expect(listed.filter((page) => !linked.has(page))).toEqual([]);
});

test("links are found in prose only", () => {
  const page = "[a](one.md#x) [b](https://else.where/) [c](#here) `[d](two.md)`\n```\n[e](three.md)\n```\n[f](four.md)";
  expect(relativeLinks(page)).toEqual(["one.md", "four.md"]);
});
