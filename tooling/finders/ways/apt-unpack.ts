// Without root: Debian's own packages, fetched and unpacked into our cache, nothing installed.
import { existsSync, globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onPath, run } from "../run.ts";
import type { FoundTool, Search, Tool, Way } from "../tool.ts";

const limitMs = 600_000;
/** These must be the computer's own: another C library than the running loader's crashes everything. */
const neverUnpacked = /^(libc6|libc-bin|libc6-.*|libcrypt1|dpkg|base-files)$/;

/**
 * Everything that the program needs, whatever the computer has: for one whose list of installed packages says more than is there
 * (an image that was made small, a folder that somebody cleaned up).
 */
export const unpackWholeWithApt: Way = async (search) => {
  const nothing = join(search.folder, "nothing-installed");
  mkdirSync(search.folder, { recursive: true });
  writeFileSync(nothing, "");
  return await unpackWithApt({ ...search, dpkgStatus: nothing });
};

export const unpackWithApt: Way = async (search) => {
  const { tool, env, folder, say } = search;
  const [apt] = onPath(["apt-get"], env);
  const [dpkgDeb] = onPath(["dpkg-deb"], env);
  if (apt === undefined || dpkgDeb === undefined) return [];
  say(`${tool.title} is not here: unpacking Debian's packages of it into ${folder}; this takes a minute or two.`);
  const packages = await missingPackages(search, apt);
  if (packages === undefined) return [];
  const root = join(folder, "root");
  const debs = join(folder, "debs");
  for (const path of [root, debs]) rmSync(path, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  mkdirSync(debs, { recursive: true });
  const options = { env, limitMs, cwd: debs };
  const fetched = await run(apt, [...packages.lists, "download", ...packages.names], options);
  if (!fetched.ok) return [];
  for (const deb of globSync("*.deb", { cwd: debs })) {
    if (!(await run(dpkgDeb, ["--extract", deb, root], options)).ok) return [];
  }
  rmSync(debs, { recursive: true, force: true });
  return unpackedTool(root, search);
};

interface Packages {
  names: string[];
  /** Options that name the package lists to use. */
  lists: string[];
}

/** What apt would install; from lists of our own when the computer's are missing or too old to know the package. */
async function missingPackages({ tool, env, folder, dpkgStatus }: Search, apt: string): Promise<Packages | undefined> {
  const status = ["-o", `Dir::State::status=${dpkgStatus}`];
  const own = [
    "-o",
    `Dir::State=${join(folder, "apt/state")}`,
    "-o",
    `Dir::Cache=${join(folder, "apt/cache")}`,
    ...status,
  ];
  for (const lists of [status, own]) {
    if (lists === own) {
      mkdirSync(join(folder, "apt/state/lists/partial"), { recursive: true });
      mkdirSync(join(folder, "apt/cache/archives/partial"), { recursive: true });
      if (!(await run(apt, [...own, "update", "-q"], { env, limitMs })).ok) return undefined;
    }
    const trial = ["install", "--simulate", "--no-install-recommends", ...tool.debianPackages];
    const simulated = await run(apt, [...lists, ...trial], { env, limitMs });
    const names = Array.from(simulated.output.matchAll(/^Inst (\S+)/gm), ([, name]) => name ?? "");
    const left = (name: string): boolean => neverUnpacked.test(name) || tool.leftOut?.test(name) === true;
    if (simulated.ok && names.length > 0) return { names: names.filter((name) => !left(name)), lists };
  }
  return undefined;
}

function unpackedTool(root: string, { tool, env }: Search): FoundTool[] {
  const [program] = globSync(tool.unpackedProgram, { cwd: root });
  if (program === undefined) return [];
  if (tool.isScript) return [unpackedScript(root, tool)];
  const executablePath = join(root, program);
  const libraries = new Set(globSync("{usr/,}lib/**/*.so*", { cwd: root }).map((path) => join(root, dirname(path))));
  const before = env["LD_LIBRARY_PATH"];
  const path = [...libraries, ...(before === undefined ? [] : [before])].join(":");
  return [{ executablePath, env: { LD_LIBRARY_PATH: path, ...unpackedFonts(root) }, args: [...tool.args] }];
}

/** Debian keeps modules at two places of the computer, which its own Node knows and ours does not. */
function unpackedScript(root: string, { args }: Tool): FoundTool {
  // Otherwise the modules would find ours, because they lie below them, and be read as our kind of script.
  writeFileSync(join(root, "package.json"), "{}\n");
  symlinkSync("usr/share/nodejs", join(root, "node_modules"));
  const modules = globSync("usr/{share,lib/*}/nodejs", { cwd: root }).toSorted().reverse();
  const path = modules.map((folder) => join(root, folder)).join(":");
  return { executablePath: process.execPath, env: { NODE_PATH: path }, args: [...args] };
}

/** A browser without a single font ends at its first word. Where the computer has none, those that came with the packages are named. */
function unpackedFonts(root: string): Record<string, string> {
  const unpacked = join(root, "etc/fonts/fonts.conf");
  if (existsSync("/etc/fonts/fonts.conf") || !existsSync(unpacked)) return {};
  const settings = join(root, "fonts-here.conf");
  const places = `<include>${unpacked}</include><dir>${join(root, "usr/share/fonts")}</dir>`;
  writeFileSync(
    settings,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${places}</fontconfig>\n`,
  );
  return { FONTCONFIG_FILE: settings };
}
