import { posix } from "node:path";
import type { SourceFile } from "../source/repository.ts";
import { nodeIn, parse, stringIn, walk } from "../source/syntax.ts";

/** One import, re-export or `import()` of a file. */
export interface Import {
  from: string;
  line: number;
  /** As written. */
  specifier: string;
  /** Path in the repository it leads to; undefined for packages of others and for Node's own. */
  target: string | undefined;
  /** Erased before anything runs. */
  typeOnly: boolean;
}

const importing = new Set(["ImportDeclaration", "ExportNamedDeclaration", "ExportAllDeclaration", "ImportExpression"]);

export function readImports(file: SourceFile): Import[] {
  const { program, lineAt } = parse(file);
  const imports: Import[] = [];
  walk(program, (node) => {
    const specifier = importing.has(node.type) ? stringIn(nodeIn(node, "source")) : undefined;
    if (specifier === undefined) return;
    const typeOnly = node["importKind"] === "type" || node["exportKind"] === "type";
    const target = resolve(file.path, specifier);
    imports.push({ from: file.path, line: lineAt(node.start), specifier, target, typeOnly });
  });
  return imports;
}

/** Where a specifier leads inside the repository: relative ones, and workspaces by their exports map: `./*` → `./src/*.ts`, in `packages/ui` → `./src/*`. */
export function resolve(from: string, specifier: string): string | undefined {
  const path = specifier.replace(/\?.*$/, "");
  if (path.startsWith(".")) return posix.join(posix.dirname(from), path);
  const [, workspace, rest] = /^@longarm\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
  if (workspace === undefined) return undefined;
  const folder = ["web", "platform", "agent", "cabinet"].includes(workspace) ? "apps" : "packages";
  return rest === undefined
    ? `${folder}/${workspace}`
    : `${folder}/${workspace}/src/${rest}${workspace === "ui" ? "" : ".ts"}`;
}
