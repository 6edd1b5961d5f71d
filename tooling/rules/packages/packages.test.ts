import { describe, expect, test } from "vitest";
import type { LockPackages } from "../../lock/missing.ts";
import { platformInName } from "../../lock/platforms.ts";
import { tellBreaches } from "../source/breach.ts";
import { readSource, repositoryPaths } from "../source/repository.ts";
import { lockBreaches, pinBreaches } from "./packages.ts";

describe("the repository", () => {
  test("pins every package to one version", () => {
    const manifests = repositoryPaths().filter((path) => /(^|\/)package\.json$/.test(path));
    const breaches = manifests.flatMap((path) => pinBreaches({ path, content: JSON.parse(readSource(path).text) }));
    expect(tellBreaches(breaches)).toEqual([]);
  });
  test("has lock files that `npm ci` takes everywhere", () => {
    const paths = repositoryPaths().filter((path) => /(^|\/)package-lock\.json$/.test(path));
    expect(paths).toContain("package-lock.json");
    const breaches = paths.flatMap((path) => {
      const lock: { packages: LockPackages } = JSON.parse(readSource(path).text);
      return lockBreaches(lock.packages, path);
    });
    expect(tellBreaches(breaches)).toEqual([]);
  });
});

test.each(["^1.2.3", "~1.2.3", "1", "latest", "*", ">=1.0.0", "git+ssh://x"])("%s is not exact", (version) => {
  const content = { dependencies: { ws: version, pg: "8.23.1", beta: "18.4.0-beta.17" } };
  expect(tellBreaches(pinBreaches({ path: "a/package.json", content }))).toEqual([
    `a/package.json asks for ws ${version}: pin one exact version.`,
  ]);
});

describe("the lock file's rule", () => {
  const owner = { version: "1.0.0", optionalDependencies: { "x-linux-x64": "1.0.0" } };
  test("finds an optional package without an entry, also a nested owner's", () => {
    expect(tellBreaches(lockBreaches({ "node_modules/a/node_modules/x": owner }))).toEqual([
      expect.stringContaining("names x-linux-x64 (of node_modules/a/node_modules/x)"),
    ]);
  });
  test.each([
    "node_modules/x-linux-x64",
    "node_modules/a/node_modules/x-linux-x64",
    "node_modules/a/node_modules/x/node_modules/x-linux-x64",
  ])("finds its entry at %s", (path) => {
    expect(lockBreaches({ "node_modules/a/node_modules/x": owner, [path]: { version: "1.0.0" } })).toEqual([]);
  });
  test("finds an address, and leaves workspaces alone", () => {
    const packages = {
      "node_modules/a": { resolved: "https://example.org/a.tgz" },
      "node_modules/@longarm/web": { link: true, resolved: "apps/web" },
    };
    expect(tellBreaches(lockBreaches(packages))).toEqual([expect.stringContaining("where to get node_modules/a")]);
  });
});

test.each([
  ["@biomejs/cli-linux-arm64-musl", { os: ["linux"], cpu: ["arm64"], libc: ["musl"] }],
  ["@napi-rs/canvas-linux-arm-gnueabihf", { os: ["linux"], cpu: ["arm"], libc: ["glibc"] }],
  ["@napi-rs/canvas-win32-x64-msvc", { os: ["win32"], cpu: ["x64"] }],
  ["@oxc-parser/binding-wasm32-wasi", { cpu: ["wasm32"] }],
  ["@img/colour", undefined],
])("%s says its platform", (name, platform) => {
  expect(platformInName(name)).toEqual(platform);
});
