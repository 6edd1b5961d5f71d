import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "../tooling/bootstrap/lock.mjs";

/** The two pages: that of the players, and the staff's console. */
export type PageName = "web" | "console";

/** Everything a built page depends on, beside its own folder. */
const SHARED_SOURCES = ["packages/contract/src", "packages/link/src", "packages/ui", "package-lock.json"];
const LEFT_OUT = new Set(["node_modules", "dist", ".vite"]);
const distOf = (page: PageName): string => `apps/${page}/dist`;
const stampOf = (page: PageName): string => `${distOf(page)}/.built-from`;
const lockOf = (page: PageName): string => `node_modules/.cache/longarm-${page}/dist.lock`;

/**
 * Builds a page when its sources are not those it was built from. A second start waits for a build that runs: two in one folder would
 * leave it broken. Returns whether it built. Throws with the build's own words.
 */
export async function buildPage(root: string, page: PageName, say: (line: string) => void): Promise<boolean> {
  const digest = await pageDigest(root, page);
  const isBuilt = () => isBuiltFrom(root, page, digest);
  if (await isBuilt()) return false;
  const onWait = (): void => say(`Waiting for another start that builds the ${page}…`);
  return await withLock(join(root, lockOf(page)), { onWait }, async () => {
    if (await isBuilt()) return false;
    say(`Building the ${page}…`);
    await buildInto(root, page, join(root, distOf(page)));
    await writeFile(join(root, stampOf(page)), digest);
    return true;
  });
}

/** The page of these sources in a folder of its own: a copy when it is built already. Throws with the build's own words. */
export async function copyOrBuildInto(root: string, page: PageName, folder: string, digest: string): Promise<void> {
  const isCopied = await withLock(join(root, lockOf(page)), {}, async () => {
    const isBuilt = await isBuiltFrom(root, page, digest);
    if (isBuilt) await cp(join(root, distOf(page)), folder, { recursive: true });
    return isBuilt;
  });
  if (!isCopied) await buildInto(root, page, folder);
}

const isBuiltFrom = async (root: string, page: PageName, digest: string): Promise<boolean> =>
  (await readFile(join(root, stampOf(page)), "utf8").catch(() => "")) === digest;

/** Builds a page into a folder, which is emptied first. Throws with the build's own words. */
export function buildInto(root: string, page: PageName, folder: string): Promise<void> {
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const args = ["build", `apps/${page}`, "--logLevel", "warn", "--outDir", folder, "--emptyOutDir"];
  return run(process.execPath, [vite, ...args], root);
}

/** Names the sources of a page: the same digest, the same build. */
export async function pageDigest(root: string, page: PageName): Promise<string> {
  const hash = createHash("sha256");
  for (const source of [`apps/${page}`, ...SHARED_SOURCES]) {
    for (const file of await filesUnder(root, source))
      hash.update(`${file}\0`).update(await readFile(join(root, file)));
  }
  return hash.digest("hex");
}

async function filesUnder(root: string, path: string): Promise<string[]> {
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => null);
  if (entries === null) return [path];
  const sorted = entries.filter(({ name }) => !LEFT_OUT.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const nested = await Promise.all(
    sorted.map((entry) => (entry.isDirectory() ? filesUnder(root, join(path, entry.name)) : [join(path, entry.name)])),
  );
  return nested.flat();
}

function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((done, failed) => {
    // We may be started for tests or development; players always get a production build.
    const env = { ...process.env, NODE_ENV: "production" };
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const words: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => words.push(part));
    child.stderr.on("data", (part: Buffer) => words.push(part));
    child.once("error", failed);
    child.once("exit", (code) => {
      if (code === 0) done();
      else failed(new Error(`A page could not be built:\n${Buffer.concat(words).toString("utf8")}`));
    });
  });
}
