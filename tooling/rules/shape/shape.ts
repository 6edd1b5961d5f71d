import type { Import } from "../imports/read-imports.ts";
import { readImports } from "../imports/read-imports.ts";
import type { SourceFile } from "../source/repository.ts";
import { isTest } from "../source/repository.ts";
import { parse } from "../source/syntax.ts";

/** A file below this many lines needs a reason when one other file alone imports it. */
export const SMALL_LINES = 40;

/** How finely the sources are cut. All counts leave tests out, as files and as importers. */
export interface Shape {
  readonly files: number;
  readonly lines: number;
  /** Files that exactly one other file imports. */
  readonly oneImporter: readonly string[];
  /** Those of them with fewer than `SMALL_LINES` lines: each could be a function below its caller. */
  readonly smallOneImporter: readonly string[];
  /** Files whose every statement imports or re-exports; the entry of a platform module (`index.ts`) is none. */
  readonly passThrough: readonly string[];
}

export function shapeOf(all: readonly SourceFile[]): Shape {
  const files = all.filter(({ path }) => !isTest(path));
  const importers = importersOf(files.flatMap(readImports));
  const oneImporter = files.filter(({ path }) => importers.get(path)?.size === 1);
  return {
    files: files.length,
    lines: files.reduce((sum, file) => sum + linesOf(file), 0),
    oneImporter: oneImporter.map(({ path }) => path),
    smallOneImporter: oneImporter
      .filter((file) => linesOf(file) < SMALL_LINES && !isData(file))
      .map(({ path }) => path),
    passThrough: files.filter(passesThrough).map(({ path }) => path),
  };
}

/** Folders whose files are data with a shape of their own: each market of players is one file (record 0200). */
const DATA_FOLDERS = ["apps/platform/src/modules/protection/markets/"];
const isData = ({ path }: SourceFile): boolean => DATA_FOLDERS.some((folder) => path.startsWith(folder));

function importersOf(imports: readonly Import[]): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>();
  for (const { from, target } of imports) {
    if (target === undefined || target === from) continue;
    const known = importers.get(target) ?? new Set();
    importers.set(target, known.add(from));
  }
  return importers;
}

function passesThrough(file: SourceFile): boolean {
  if (/(^|\/)index\.tsx?$/.test(file.path)) return false;
  const statements = parse(file).program["body"] as { type: string; source?: unknown; specifiers?: unknown[] }[];
  const exporting = statements.filter(({ type }) => type !== "ImportDeclaration");
  return (
    exporting.length > 0 &&
    exporting.every(
      ({ type, source }) => type === "ExportAllDeclaration" || (type === "ExportNamedDeclaration" && source !== null),
    )
  );
}

const linesOf = ({ text }: SourceFile): number => text.replace(/\n$/, "").split("\n").length;
