import { expect, test } from "vitest";
import { isTest, readSource, repositoryPaths } from "../source/repository.ts";

/** The template's pages stay a showcase: few parts, many pages made of data. Catalogues and tests do not count. */
const LINES_MAX = 4_000;

test("the showcase is written in less than 4,000 lines", () => {
  const files = repositoryPaths("apps/web/src/features/showcase").filter(
    (path) => /\.(ts|tsx|css)$/.test(path) && !isTest(path),
  );
  const lines = files.map((path) => readSource(path).text.replace(/\n$/, "").split("\n").length);
  expect(files.length).toBeGreaterThan(20);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThan(LINES_MAX);
});
