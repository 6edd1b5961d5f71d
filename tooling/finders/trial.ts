import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./run.ts";
import type { FoundTool, Tool } from "./tool.ts";

/** A first start from a cold disk on a busy computer takes seconds. */
const limitMs = 90_000;

/** Whether it really starts and works here; being there is not enough. Its home is a folder that is thrown away. */
export async function works(tool: Tool, found: FoundTool, env: NodeJS.ProcessEnv): Promise<boolean> {
  const home = mkdtempSync(join(tmpdir(), "longarm-trial-"));
  try {
    const settings = { ...env, ...found.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home };
    const tried = await run(found.executablePath, [...found.args, ...tool.trial.args], { env: settings, limitMs });
    return tried.output.includes(tool.trial.shows);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
