import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Way } from "../tool.ts";

/** The way of the tool's own makers, where they have one: works on any Linux, macOS and Windows, but needs their server. */
export const runMakersInstaller: Way = async ({ tool, env, folder, say }) => {
  if (tool.makersInstaller === undefined) return [];
  say(`${tool.title}: trying the installer of its makers.`);
  const place = join(folder, "makers");
  mkdirSync(place, { recursive: true });
  const executablePath = await tool.makersInstaller(place, env);
  return executablePath === undefined ? [] : [{ executablePath, env: {}, args: [...tool.args] }];
};
