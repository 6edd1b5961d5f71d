import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { chromium, chromiumForTests } from "./chromium.ts";
import { findChromium, findChromiumForTests } from "./find-tool.ts";
import { whipServer } from "./janus.ts";
import { turnserver } from "./turnserver.ts";
import { installWithApt } from "./ways/apt-install.ts";
import { unpackWithApt } from "./ways/apt-unpack.ts";

let folder: string;
let env: NodeJS.ProcessEnv;
const said: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "longarm-finders-"));
  mkdirSync(join(folder, "bin"));
  // Nothing of this computer is seen but the shell and its small tools, called by their own paths.
  env = { PATH: join(folder, "bin") };
  said.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cacheFolder = () => join(folder, "cache");
const say = (line: string) => said.push(line);
const find = () => findChromium({ env, cacheFolder: cacheFolder(), say });

/** A program in the folder of programs; `draws` makes it pass as a browser. */
function program(name: string, script: string): string {
  const path = join(folder, "bin", name);
  writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}
const draws = "echo '<p>it draws</p>'";

describe("a browser is found", () => {
  test("on the PATH, by the first name that works", async () => {
    program("chromium", "echo broken; exit 1");
    const path = program("google-chrome", draws);
    expect(await find()).toEqual({ executablePath: path, env: {}, args: [...chromium.args] });
    expect(said).toEqual([]);
  });

  test("by its setting, before everything else", async () => {
    program("chromium", draws);
    const path = program("mine", draws);
    env["LONGARM_CHROMIUM"] = path;
    expect((await find()).executablePath).toBe(path);
  });

  test("by memory, without another trial, until its file changes", async () => {
    const path = program("chromium", draws);
    const before = new Date(0);
    utimesSync(path, before, before);
    await find();
    program("chromium", "exit 1");
    utimesSync(path, before, before);
    expect((await find()).executablePath).toBe(path);
    const other = program("google-chrome", draws);
    utimesSync(path, new Date(1000), new Date(1000));
    expect((await find()).executablePath).toBe(other);
  });

  test("never by a setting that does not work: that is told, not worked around", async () => {
    program("chromium", draws);
    env["LONGARM_CHROMIUM"] = program("mine", "exit 1");
    await expect(find()).rejects.toThrow(/LONGARM_CHROMIUM names .*mine, which does not work/);
  });
});

describe("a browser is unpacked from Debian's packages", () => {
  /** apt and dpkg-deb of a small world: `apt-get` knows three missing packages, and packages are text files. */
  const world = (simulate: string) => {
    program(
      "apt-get",
      `echo "$@" >> ${folder}/apt.txt
       for a; do case $a in
         update) exit 0;;
         install) ${simulate};;
         download) shift; while [ "$1" != download ]; do shift; done; shift; for p; do echo $p > $p.deb; done; exit 0;;
       esac; done`,
    );
    program(
      "dpkg-deb",
      `mkdir -p $3/usr/lib/chromium $3/usr/lib/here; touch $3/usr/lib/here/lib$2.so.1
       printf '#!/bin/sh\\n[ -n "$LD_LIBRARY_PATH" ] && echo "<p>it draws</p>"\\n' > $3/usr/lib/chromium/chromium
       chmod 755 $3/usr/lib/chromium/chromium`,
    );
  };
  const known = `printf 'Inst chromium (1)\\nInst libnss3 (1)\\nInst libc6 (2)\\nConf chromium\\n'; exit 0`;
  const downloads = () =>
    readFileSync(join(folder, "apt.txt"), "utf8")
      .split("\n")
      .filter((line) => line.includes("download"));
  const unpack = () =>
    unpackWithApt({ tool: chromium, env, folder: join(cacheFolder(), "chromium"), dpkgStatus: "/dev/null", say });

  test("with the libraries the computer lacks, but never another C library", async () => {
    world(known);
    const [found] = await unpack();
    const root = join(cacheFolder(), "chromium/root");
    expect(found?.executablePath).toBe(join(root, "usr/lib/chromium/chromium"));
    expect(found?.env["LD_LIBRARY_PATH"]?.split(delimiter)).toEqual([join(root, "usr/lib/here")]);
    const [line] = downloads();
    expect(line).toMatch(/download chromium libnss3$/);
  });

  test("also where the folder of the program carries its version", async () => {
    world(known);
    const tool = { ...chromium, unpackedProgram: "usr/*/chromium/chromium" };
    const [found] = await unpackWithApt({ tool, env, folder: cacheFolder(), dpkgStatus: "/dev/null", say });
    expect(found?.executablePath).toBe(join(cacheFolder(), "root/usr/lib/chromium/chromium"));
  });

  test("from lists of our own when the computer has none", async () => {
    world(`case "$*" in *Dir::State=*) ${known};; *) exit 100;; esac`);
    expect(await unpack()).toHaveLength(1);
    expect(downloads()[0]).toContain("Dir::State=");
  });

  // issue 14, item 1: a fresh machine.
  test("with everything it needs where the computer's list names a program that is missing", async () => {
    world(`case "$*" in *nothing-installed*) ${known};; *) exit 0;; esac`);
    expect(await unpack()).toEqual([]);
    const { executablePath } = await findChromium({ env, cacheFolder: cacheFolder(), dpkgStatus: "/dev/null", say });
    expect(executablePath).toBe(join(cacheFolder(), "chromium/root/usr/lib/chromium/chromium"));
    expect(downloads()[0]).toMatch(/status=\S+nothing-installed download chromium libnss3$/);
  });

  test("as modules for our own Node where the program is a script, without what the tool works without", async () => {
    world(known);
    program(
      "dpkg-deb",
      `mkdir -p $3/usr/share/nodejs $3/usr/lib/here/nodejs $3/usr/share/server; touch $3/usr/share/server/server.js`,
    );
    const tool = { ...whipServer, unpackedProgram: "usr/share/server/server.js", leftOut: /^libnss/ };
    const [found] = await unpackWithApt({ tool, env, folder: cacheFolder(), dpkgStatus: "/dev/null", say });
    const root = join(cacheFolder(), "root");
    expect(found?.executablePath).toBe(process.execPath);
    expect(found?.env["NODE_PATH"]?.split(delimiter)).toEqual(
      ["usr/share/nodejs", "usr/lib/here/nodejs"].map((path) => join(root, path)),
    );
    expect(downloads()[0]).toMatch(/download chromium$/);
  });

  test.each([
    ["that does not know the package", "exit 100"],
    ["that says it is installed already", "exit 0"],
  ])("not at all by an apt %s", async (_, simulate) => {
    world(simulate);
    expect(await unpack()).toEqual([]);
  });
});

test("a tool whose package would start a service is never installed, not even by root", async () => {
  vi.spyOn(process, "getuid").mockReturnValue(0);
  program("apt-get", `echo called >> ${folder}/apt.txt`);
  const search = { env, folder: join(cacheFolder(), "turnserver"), dpkgStatus: "/dev/null", say };
  expect(await installWithApt({ ...search, tool: turnserver })).toEqual([]);
  expect(() => readFileSync(join(folder, "apt.txt"))).toThrow();
  await installWithApt({ ...search, tool: chromium });
  expect(readFileSync(join(folder, "apt.txt"), "utf8")).toContain("called");
});

test("tests get the smaller browser, and the whole one where that cannot be had, without another try to fetch it", async () => {
  vi.spyOn(chromiumForTests, "makersInstaller").mockResolvedValue(undefined);
  const whole = program("chromium", draws);
  const findForTests = (name: string) => findChromiumForTests({ env, cacheFolder: join(folder, name), say });
  expect((await findForTests("a")).executablePath).toBe(whole);
  expect((await findForTests("a")).executablePath).toBe(whole);
  expect(chromiumForTests.makersInstaller).toHaveBeenCalledTimes(1);
  const smaller = program("chromium-headless-shell", draws);
  expect((await findForTests("b")).executablePath).toBe(smaller);
});

test("when nothing helps, one sentence says what to do, and the lock is free again", async () => {
  vi.spyOn(chromium, "makersInstaller").mockResolvedValue(undefined);
  await expect(find()).rejects.toThrow(/apt-get install chromium.*LONGARM_CHROMIUM/);
  await expect(find()).rejects.toThrow(/Chromium is needed/);
});
