import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryPaths } from "../source/repository.ts";
import { pathEndingsIn, pathsIn } from "./paths.ts";

const root = join(import.meta.dirname, "../../..");
const pagesOf = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

/** Decisions tell of the day when they were made, and the specification of others: both may name what is gone. */
test.each([...pagesOf("."), ...pagesOf("docs"), ...pagesOf("docs/operating")])("%s names paths that exist", (page) => {
  const paths = pathsIn(readFileSync(join(root, page), "utf8"));
  // A path of a module may be written without its ending.
  const missing = paths.filter(
    (path) => !["", ".ts", ".test.ts", ".md"].some((ending) => existsSync(join(root, path + ending))),
  );
  expect(missing).toEqual([]);
});

test.each([...pagesOf("."), ...pagesOf("docs"), ...pagesOf("docs/operating")])(
  "%s names sources that exist, also by the end of their path",
  (page) => {
    const paths = repositoryPaths();
    const endings = pathEndingsIn(readFileSync(join(root, page), "utf8"));
    expect(endings.filter((ending) => !paths.some((path) => `/${path}`.endsWith(`/${ending}`)))).toEqual([]);
  },
);

test("ends of paths are found with and without an ellipsis", () => {
  expect(pathEndingsIn("`…/play/rooms.ts`, `rooms.ts`, `src/a.tsx`, rooms.ts, `<id>.ts`, `*.test.ts`")).toEqual([
    "play/rooms.ts",
    "rooms.ts",
    "src/a.tsx",
  ]);
});

test("paths are found in code font, with braces expanded and without what commands make", () => {
  const page =
    "`apps/web/{src,build}/a.ts`, `packages/link/`, apps/none, `apps/web/dist`, `apps/*/src`, `tooling/a.ts#L3`";
  expect(pathsIn(page)).toEqual(["apps/web/src/a.ts", "apps/web/build/a.ts", "packages/link", "tooling/a.ts"]);
});
