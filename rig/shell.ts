import { delimiter, dirname } from "node:path";
import type { ToolName } from "../tooling/finders/find-tool.ts";
import { findTool } from "../tooling/finders/find-tool.ts";

/** The snippets of a document that a shell runs. */
export const shellSnippets = (page: string): string[] =>
  [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = ""]) => text);

/** A PATH, and what else the shell needs, with these programs, wherever they were found. */
export async function shellWith(...names: readonly ToolName[]): Promise<NodeJS.ProcessEnv> {
  const tools = await Promise.all(names.map((name) => findTool(name)));
  const list = (one: string, more: readonly (string | undefined)[]) => ({
    [one]: [...more, process.env[one]].filter((part) => part !== undefined).join(delimiter),
  });
  return {
    ...process.env,
    ...list(
      "PATH",
      tools.map(({ executablePath }) => dirname(executablePath)),
    ),
    ...list(
      "LD_LIBRARY_PATH",
      tools.map(({ env }) => env["LD_LIBRARY_PATH"]),
    ),
  };
}
