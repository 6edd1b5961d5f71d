import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeFiles } from "../source/repository.ts";
import { shapeOf } from "./shape.ts";

/** The most that there may be. A change that lowers a count lowers its limit too. */
type Limits = { readonly smallOneImporter: number; readonly passThrough: number };

test("the sources are cut no finer than they were", () => {
  const limits: Limits = JSON.parse(readFileSync(join(import.meta.dirname, "shape.json"), "utf8"));
  const shape = shapeOf(codeFiles());
  const advice =
    "A helper with one caller belongs below its caller, and a file that only re-exports has no reason to be. `node tooling/rules/shape/print.ts` lists them.";
  expect(shape.smallOneImporter.length, advice).toBeLessThanOrEqual(limits.smallOneImporter);
  expect(shape.passThrough.length, advice).toBeLessThanOrEqual(limits.passThrough);
});

test("a small file with one importer is counted, a large or shared one and a test are not", () => {
  const body = (count: number) => "export const a = 1;\n".repeat(count);
  const shape = shapeOf([
    {
      path: "a/main.ts",
      text: `import { a } from "./small.ts"; import { b } from "./large.ts"; import "./shared.ts";`,
    },
    { path: "a/other.ts", text: `import "./shared.ts"; export type T = import("./lazy.ts").T;` },
    { path: "a/small.ts", text: body(39) },
    { path: "a/small.test.ts", text: `import { a } from "./small.ts";` },
    { path: "a/large.ts", text: body(40) },
    { path: "a/shared.ts", text: body(1) },
  ]);
  expect(shape).toMatchObject({
    files: 5,
    oneImporter: ["a/small.ts", "a/large.ts"],
    smallOneImporter: ["a/small.ts"],
  });
});

test("a file that only re-exports is counted, unless it is the entry of a module", () => {
  const forward = `import { a } from "./a.ts";\nexport { b } from "./b.ts";\nexport * from "./c.ts";\n`;
  const shape = shapeOf([
    { path: "a/forward.ts", text: forward },
    { path: "a/index.ts", text: forward },
    { path: "a/work.ts", text: `${forward}export const work = 1;\n` },
    { path: "a/own.ts", text: `const own = 1;\nexport { own };\n` },
  ]);
  expect(shape.passThrough).toEqual(["a/forward.ts"]);
});
