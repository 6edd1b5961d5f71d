import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildPage, copyOrBuildInto, pageDigest } from "./web-build.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "longarm-web-build-"));
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  };
  // Instead of Vite: two at once in one folder make it fail.
  await write(
    "node_modules/vite/bin/vite.js",
    `const { mkdirSync, rmdirSync, writeFileSync, appendFileSync } = require("node:fs");
     const out = process.argv[process.argv.indexOf("--outDir") + 1];
     mkdirSync("busy");
     appendFileSync("builds", "x");
     mkdirSync(out, { recursive: true });
     setImmediate(() => { writeFileSync(out + "/index.html", "built"); rmdirSync("busy"); });`,
  );
  for (const file of [
    "apps/web/main.ts",
    "packages/contract/src/index.ts",
    "packages/link/src/peer.ts",
    "packages/ui/src/key.tsx",
    "apps/console/main.ts",
    "package-lock.json",
  ])
    await write(file, "");
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("of many that start at once one builds the web, and the others wait for it", async () => {
  const built = await Promise.all(Array.from({ length: 4 }, () => buildPage(root, "web", () => {})));
  expect(built.filter(Boolean)).toHaveLength(1);
  expect(await readFile(join(root, "builds"), "utf8")).toBe("x");
  expect(await readFile(join(root, "apps/web/dist/index.html"), "utf8")).toBe("built");
  expect(await buildPage(root, "web", () => {}), "nothing has changed").toBe(false);
  expect(await buildPage(root, "console", () => {}), "the console is a page of its own").toBe(true);
  expect(await readFile(join(root, "apps/console/dist/index.html"), "utf8")).toBe("built");
});

test("a copy is taken of what is built, and what was built from other sources is built anew", async () => {
  const folder = join(root, "copy");
  await buildPage(root, "web", () => {});
  await writeFile(join(root, "apps/web/dist/own.js"), "built for players");
  await copyOrBuildInto(root, "web", folder, await pageDigest(root, "web"));
  expect(await readFile(join(folder, "own.js"), "utf8")).toBe("built for players");
  expect(await readFile(join(root, "builds"), "utf8")).toBe("x");

  await writeFile(join(root, "apps/web/main.ts"), "changed");
  await copyOrBuildInto(root, "web", join(root, "other"), await pageDigest(root, "web"));
  expect(await readFile(join(root, "builds"), "utf8")).toBe("xx");
});
