import { globSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";
import type { Tool } from "./tool.ts";

/** A browser of the Chromium family, for the measurements, and for tests where there is no smaller one. */
export const chromium: Tool = {
  title: "Chromium",
  setting: "LONGARM_CHROMIUM",
  programs: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
  debianPackages: ["chromium"],
  unpackedProgram: "usr/lib/chromium/chromium",
  // It only ever opens our own pages on this computer: it may run as root, and it phones nobody.
  args: [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
  ],
  trial: {
    args: ["--headless", "--disable-gpu", "--dump-dom", "data:text/html,<p>it%20draws</p>"],
    shows: "<p>it draws</p>",
  },
  makersInstaller: (folder, env) => installWithPlaywright("chromium", folder, env),
};

/**
 * The same browser built without windows, tabs and bars, for tests: a page in it costs half the processor time (decision 0118).
 * Where there is none, the whole browser does.
 */
export const chromiumForTests: Tool = {
  ...chromium,
  title: "Chromium for tests",
  programs: ["chromium-headless-shell", "chrome-headless-shell"],
  debianPackages: ["chromium-headless-shell"],
  unpackedProgram: "usr/lib/chromium/chromium-headless-shell",
  makersInstaller: (folder, env) => installWithPlaywright("chromium-headless-shell", folder, env),
  otherwise: "chromium",
};

async function installWithPlaywright(
  name: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const cli = join(import.meta.dirname, "../../node_modules/playwright-core/cli.js");
  const installing = { env: { ...env, PLAYWRIGHT_BROWSERS_PATH: folder }, limitMs: 600_000 };
  if (!(await run(process.execPath, [cli, "install", name], installing)).ok) return undefined;
  const programs = "{chrome,chrome-headless-shell}{,.exe}";
  const [program] = globSync(
    `chromium*-*/{chrom*-linux*/${programs},chrom*-win*/${programs},chrom*-mac*/{chrome-headless-shell,**/MacOS/*}}`,
    {
      cwd: folder,
    },
  );
  return program === undefined ? undefined : join(folder, program);
}
