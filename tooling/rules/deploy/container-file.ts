/** One instruction of a container file, its lines joined: `COPY`, `apps/agent apps/agent`. */
export type Instruction = { readonly word: string; readonly rest: string };

export function readContainerFile(text: string): Instruction[] {
  const joined = text
    .split("\n")
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "");
  return joined.split("\n").map((line) => {
    const [, word = "", rest = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    return { word, rest };
  });
}

/** What it copies out of the repository. */
export function copiedPaths(instructions: readonly Instruction[]): string[] {
  return instructions
    .filter(({ word, rest }) => word === "COPY" && !rest.startsWith("--from="))
    .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1));
}

/** The names that it gives to the program's environment. */
export function environmentNames(instructions: readonly Instruction[]): string[] {
  return instructions
    .filter(({ word }) => word === "ENV")
    .flatMap(({ rest }) => rest.split(/\s+/).map((part) => part.split("=")[0] ?? ""));
}
