import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Advice, adviseOnNpm, adviseOnWrite } from "./advice.mjs";
import { bootstrap } from "./bootstrap.mjs";
import { innerEnvironment } from "./environment.mjs";
import { isInstalledByHand, isStamped, wantedPackages } from "./stamp.mjs";

let root: string;
let said: string[];

const lock = {
  packages: {
    "": {},
    "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
    "node_modules/@longarm/web": { link: true },
    "node_modules/far": { version: "1.0.0", optional: true, os: ["plan9"] },
    "node_modules/near": { version: "1.0.0", optional: true, os: process.platform, cpu: ["!vax"] },
  },
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "longarm-bootstrap-"));
  said = [];
  writeFileSync(join(root, "package-lock.json"), JSON.stringify(lock));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** An npm that does what the script says; it gets the lock file's packages by `install`. */
function fakeNpm(script: string): NodeJS.ProcessEnv {
  const path = join(root, "npm-cli.js");
  const install = `const fs = require("fs"); const install = () => { for (const p of ["a", "near"]) {
    fs.mkdirSync("node_modules/" + p, { recursive: true }); fs.writeFileSync("node_modules/" + p + "/package.json", "{}"); }
    fs.appendFileSync("runs.txt", process.argv.slice(2).join(" ") + "\\n"); };`;
  writeFileSync(path, `${install}\n${script}`);
  return { PATH: dirname(process.execPath), npm_execpath: path, npm_node_execpath: process.execPath };
}

const start = (env: NodeJS.ProcessEnv) => bootstrap({ root, env, say: (line) => said.push(line) });
const runs = () => readFileSync(join(root, "runs.txt"), "utf8").trim().split("\n");

describe("the bootstrap", () => {
  test("installs from the lock file without install scripts, once, and links Node 24", async () => {
    const env = fakeNpm("install();");
    await start(env);
    await start(env);
    expect(runs()).toEqual([expect.stringMatching(/^ci .*--ignore-scripts/)]);
    expect(existsSync(join(root, "node_modules/.bin/node"))).toBe(true);
    expect(said.at(-1)).toMatch(/on Node 24/);
  });

  test("installs again when the lock file has changed", async () => {
    const env = fakeNpm("install();");
    await start(env);
    writeFileSync(
      join(root, "package-lock.json"),
      JSON.stringify({ packages: { ...lock.packages, "node_modules/a": { version: "1.0.1" } } }),
    );
    await start(env);
    expect(runs()).toHaveLength(2);
  });

  test("two at the same time install once", async () => {
    const env = fakeNpm("install();");
    await Promise.all([start(env), start(env)]);
    expect(runs()).toHaveLength(1);
  });

  test("a failed install says what to do, and the next one starts again", async () => {
    const failing = fakeNpm(`console.error("npm error code ENOTFOUND"); process.exit(1);`);
    await expect(start(failing)).rejects.toThrow(/registry could not be reached/);
    expect(isStamped(root)).toBe(false);
    await start(fakeNpm("install();"));
    expect(isStamped(root)).toBe(true);
  });

  test("what is no whole clone is refused with a sentence", async () => {
    rmSync(join(root, "package-lock.json"));
    await expect(start({})).rejects.toThrow(/clone it again/);
  });
});

describe("what is installed", () => {
  test("is wanted only where it fits", () => {
    expect([...wantedPackages(root).keys()]).toEqual(["node_modules/a", "node_modules/near"]);
  });
  test("counts as done by hand when npm's own record agrees and the packages are there", () => {
    expect(isInstalledByHand(root)).toBe(false);
    mkdirSync(join(root, "node_modules/a"), { recursive: true });
    writeFileSync(join(root, "node_modules/.package-lock.json"), JSON.stringify(lock));
    expect(isInstalledByHand(root)).toBe(false);
    for (const name of ["a", "near"]) {
      mkdirSync(join(root, "node_modules", name), { recursive: true });
      writeFileSync(join(root, "node_modules", name, "package.json"), "{}");
    }
    expect(isInstalledByHand(root)).toBe(true);
  });
});

test("the inner npm keeps how to reach the registry, and nothing that changes what is installed", () => {
  const local = join(root, "node_modules/.bin");
  const env = {
    ...{
      PATH: [local, "/usr/bin"].join(delimiter),
      HOME: "/h",
      npm_config_registry: "r",
      npm_config_cache: "c",
      npm_config_cafile: "f",
    },
    ...{
      npm_config_omit: "dev",
      npm_config_dry_run: "true",
      npm_package_name: "x",
      npm_lifecycle_event: "test",
      NODE_ENV: "production",
    },
  };
  const kept = { HOME: "/h", npm_config_registry: "r", npm_config_cache: "c", npm_config_cafile: "f" };
  expect(innerEnvironment(env, root)).toEqual({ PATH: "/usr/bin", ...kept });
});

describe("advice", () => {
  test.each([
    ["npm error code EAI_AGAIN", "could not be reached"],
    ["npm error code ENOSPC", "disk is full"],
    ["npm error code EACCES", "may not write"],
    ["npm error code EINTEGRITY", "not the one the lock file promises"],
    ["npm error `npm ci` can only install packages when your package.json and package-lock.json", "do not agree"],
    ["npm error SELF_SIGNED_CERT_IN_CHAIN", "not trusted"],
    ["npm error something new", "npm could not install"],
  ])("for %s", (output, sentence) => {
    const advice = adviseOnNpm(`${output}\nnpm error Usage:\nnpm error a page of usage`, 1);
    expect(advice.message).toContain(sentence);
    expect(advice.message).not.toContain("a page of usage");
  });
  test("for a write that was refused, and no other error", () => {
    const refused = Object.assign(new Error("x"), { code: "EROFS" });
    expect(adviseOnWrite(refused, "/r")).toBeInstanceOf(Advice);
    const other = new Error("x");
    expect(adviseOnWrite(other, "/r")).toBe(other);
  });
});

test.each([
  ["apps/agent", "node-av"],
  ["apps/agent", "@napi-rs/canvas"],
  ["apps/platform", "@node-rs/argon2"],
])("native package of %s loads without its install script: %s", async (workspace, name) => {
  const require = createRequire(join(import.meta.dirname, "../..", workspace, "package.json"));
  const loaded: object = await import(pathToFileURL(require.resolve(name)).href);
  expect(Object.keys(loaded).length).toBeGreaterThan(0);
});
