import { globSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";
import type { Tool } from "./tool.ts";

/** A browser of the Chromium family, for the whole-system tests and the measurements. */
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
  makersInstaller: installWithPlaywright,
};

async function installWithPlaywright(folder: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const cli = join(import.meta.dirname, "../../node_modules/playwright-core/cli.js");
  const installing = { env: { ...env, PLAYWRIGHT_BROWSERS_PATH: folder }, limitMs: 600_000 };
  if (!(await run(process.execPath, [cli, "install", "chromium"], installing)).ok) return undefined;
  const [program] = globSync("chromium-*/{chrome-linux*/chrome,chrome-mac*/**/MacOS/*,chrome-win*/chrome.exe}", {
    cwd: folder,
  });
  return program === undefined ? undefined : join(folder, program);
}
