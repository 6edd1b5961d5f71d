import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../../launcher/house.ts";
import { Advice, adviseOnNpm } from "../../../tooling/bootstrap/advice.mjs";
import { innerEnvironment } from "../../../tooling/bootstrap/environment.mjs";
import { withLock } from "../../../tooling/bootstrap/lock.mjs";

const CACHE = join(ROOT, ".cache/tools/lighthouse");
/** What is installed, to the byte: it stands in a lock file of its own. */
const FILES = ["package.json", "package-lock.json"];
const INSTALL_MS_MAX = 300_000;

/** The folder of Lighthouse, fetched from the package registry the first time. Throws Advice, a sentence that says what to do, when it cannot be had. */
export async function fetchLighthouse(say: (line: string) => void): Promise<string> {
  const hash = createHash("sha256");
  for (const file of FILES) hash.update(await readFile(join(import.meta.dirname, file)));
  const folder = join(CACHE, hash.digest("hex").slice(0, 16));
  const found = join(folder, "node_modules/lighthouse");
  if (existsSync(found)) return found;
  const onWait = (): void => say("Lighthouse is being fetched by another process; waiting for it.");
  return await withLock(join(CACHE, "fetch.lock"), { onWait }, async () => {
    if (existsSync(found)) return found;
    say("Lighthouse is fetched (some 90 MB; only the first time)…");
    const coming = `${folder}.coming`;
    await rm(coming, { recursive: true, force: true });
    await mkdir(coming, { recursive: true });
    for (const file of FILES) await copyFile(join(import.meta.dirname, file), join(coming, file));
    await install(coming);
    await rename(coming, folder);
    return found;
  });
}

/** No install scripts, as everywhere. */
function install(cwd: string): Promise<void> {
  const npm = process.env["npm_execpath"];
  const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
  const [command, args] = npm?.endsWith("npm-cli.js") ? [process.execPath, [npm, ...words]] : ["npm", words];
  return new Promise((done, failed) => {
    const env = innerEnvironment(process.env, ROOT);
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: INSTALL_MS_MAX });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-20_000);
      });
    }
    child.once("error", (error) => failed(new Advice(`Lighthouse could not be fetched: ${error.message}`)));
    child.once("close", (code) => {
      if (code === 0) done();
      else failed(adviseOnNpm(output, code ?? "a signal"));
    });
  });
}
