import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const repositoryRoot = join(import.meta.dirname, "../../..");

/** A file of the repository, by its path from the root, with forward slashes. */
export interface SourceFile {
  path: string;
  text: string;
}

/** Made by commands, not by people: never read by a rule. */
const made = new Set(["node_modules", "dist", "data", ".cache", ".git", "coverage", "test-results"]);
const code = /\.(ts|tsx|mts|mjs|js)$/;
const text = /(\.(ts|tsx|mts|mjs|js|css|html|json|md|sql|svg|sh|yml|yaml)|\/run|^\.[a-z]+)$/;

/** Every file of the repository that people wrote, path from the root. */
export function repositoryPaths(folder = ""): string[] {
  const entries = readdirSync(join(repositoryRoot, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (made.has(entry.name)) return [];
    return entry.isDirectory() ? repositoryPaths(path) : [path];
  });
}

/** Every rule reads the same files: each is read once, so that its syntax is parsed once too. */
const read = new Map<string, SourceFile>();

export function readSource(path: string): SourceFile {
  const known = read.get(path);
  if (known !== undefined) return known;
  const file = { path, text: readFileSync(join(repositoryRoot, path), "utf8") };
  read.set(path, file);
  return file;
}

export const codeFiles = (): SourceFile[] =>
  repositoryPaths()
    .filter((path) => code.test(path))
    .map(readSource);
/** Style sheets that people wrote: one that a command made says so at its beginning. */
export const styleFiles = (): SourceFile[] =>
  repositoryPaths()
    .filter((path) => path.endsWith(".css"))
    .map(readSource)
    .filter(({ text }) => !/^\/\*\s*\*? ?Made by `/.test(text));
export const textFiles = (): SourceFile[] =>
  repositoryPaths()
    .filter((path) => text.test(path))
    .map(readSource);

/** Tests, and what only tests import: conformance suites and files called `testing`. */
export const isTest = (path: string): boolean =>
  /\.test\.tsx?$/.test(path) || /(^|[/.-])(conformance|testing)\.tsx?$/.test(path) || /(^|\/)testing[/-]/.test(path);
