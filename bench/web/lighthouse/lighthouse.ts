import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { ROOT } from "../../../launcher/venue.ts";
import { spreadOf } from "../../../rig/figures.ts";
import { signIn } from "../../../rig/player.ts";
import { freePort } from "../../../rig/venue/free-port.ts";
import { Advice, adviseOnNpm } from "../../../tooling/bootstrap/advice.mjs";
import { innerEnvironment } from "../../../tooling/bootstrap/environment.mjs";
import { withLock } from "../../../tooling/bootstrap/lock.mjs";
import { findChromium } from "../../../tooling/finders/find-tool.ts";
import type { Part, Result } from "../../result.ts";
import type { Setup } from "../../setup/setup.ts";
import type { Found } from "./look.ts";

const LOOKS = 3;
const LOOK_MS_MAX = 120_000;
const PRESETS = ["desktop", "mobile"] as const;
/** Wanted of each score: all of them at a desk, and the speed of a phone. */
const REACHES: Readonly<Record<(typeof PRESETS)[number], Readonly<Record<string, number>>>> = {
  desktop: { performance: 100, accessibility: 100, "best-practices": 100 },
  mobile: { performance: 95 },
};
const run = promisify(execFile);

/** What Lighthouse says of login and lobby of the real venue, at a desk and on a phone. The lobby is opened with a sign-in, and everything is fetched anew each time. */
export const lighthouse: Part = async (setup, report) => {
  const folder = await fetchLighthouse(setup.say);
  const { token } = await signIn(setup.venue.href);
  for (const preset of PRESETS) {
    for (const [name, path] of [
      ["login", "/login"],
      ["lobby", `/lobby?token=${token}`],
    ] as const) {
      setup.say(`Lighthouse: ${name}, ${preset}`);
      // Of its own: the token that the lobby's look leaves behind leads the next login to the lobby.
      const browser = await openBrowser(setup);
      try {
        const looks: Found[] = [];
        for (let turn = 0; turn < LOOKS; turn += 1) {
          looks.push(await look(folder, browser.port, `${setup.venue.href}${path}`, preset));
        }
        for (const result of resultsOf(looks, `${name}, ${preset}`, REACHES[preset])) report(result);
        setup.say(`It costs: ${[...new Set(looks.flatMap(({ lost }) => lost))].join("; ") || "nothing"}`);
      } finally {
        await browser.close();
      }
    }
  }
};

/** A browser with a door for Lighthouse. */
async function openBrowser(setup: Setup): Promise<{ port: number; close(): Promise<void> }> {
  const port = await freePort();
  const { executablePath, env, args } = await findChromium({ say: setup.say });
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env } as Record<string, string>,
    args: [...args, "--disable-gpu", `--remote-debugging-port=${port}`],
  });
  return { port, close: () => browser.close() };
}

async function look(folder: string, port: number, url: string, preset: string): Promise<Found> {
  const args = [join(import.meta.dirname, "look.ts"), folder, String(port), url, preset];
  const { stdout } = await run(process.execPath, args, { timeout: LOOK_MS_MAX });
  return JSON.parse(stdout);
}

function resultsOf(looks: readonly Found[], condition: string, reaches: Readonly<Record<string, number>>): Result[] {
  const [first] = looks;
  if (first === undefined) return [];
  return [
    ...Object.keys(first.scores).map((name): Result => {
      const reach = reaches[name];
      return {
        ...{ what: `Lighthouse, ${name.replace("-", " ")}`, condition, unit: "of 100" },
        value: spreadOf(looks.map(({ scores }) => scores[name] ?? 0)),
        ...(reach !== undefined && { held: { reach: { of: "figure", atLeast: reach } } }),
      };
    }),
    ...Object.keys(first.metrics)
      .filter((name) => name !== "cumulative-layout-shift")
      .map(
        (name): Result => ({
          ...{ what: `Lighthouse, ${name.replaceAll("-", " ")}`, condition, unit: "ms" },
          value: spreadOf(looks.map(({ metrics }) => metrics[name] ?? Number.NaN)),
        }),
      ),
  ];
}

const CACHE = join(ROOT, ".cache/tools/lighthouse");
/** What is installed, to the byte: it has a lock file of its own. */
const FILES = ["package.json", "package-lock.json"];
const INSTALL_MS_MAX = 300_000;

/** The folder of Lighthouse, fetched from the package registry the first time. Throws Advice, a sentence that says what to do, when it cannot be had. */
async function fetchLighthouse(say: (line: string) => void): Promise<string> {
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
