import type { Breach } from "../source/breach.ts";
import type { SourceFile } from "../source/repository.ts";
import { isTest } from "../source/repository.ts";
import type { Syntax, SyntaxNode } from "../source/syntax.ts";
import { nameOf, nodeIn, parse, walk } from "../source/syntax.ts";

/** Old offenders with the size they have now, by key. They may only shrink, and leave the list when they fit. */
export type Offenders = Record<string, number>;

/** What is too large, what has grown, and what in the list is no longer true. */
export function ratchetBreaches(measured: Measured[], offenders: Offenders): Breach[] {
  const largest = new Map<string, Measured>();
  for (const one of measured) if (one.size > (largest.get(one.key)?.size ?? -1)) largest.set(one.key, one);
  const gone = Object.keys(offenders).filter((key) => !largest.has(key));
  return [
    ...Array.from(largest.values()).flatMap((one) => judge(one, offenders[one.key])),
    ...gone.map((key) => ({ path: key, sentence: "is gone: take it off tooling/rules/budgets.json." })),
  ];
}

function judge({ key, line, size, stop }: Measured, listed: number | undefined): Breach[] {
  const breach = (sentence: string): Breach[] => [{ path: key, ...(line === undefined ? {} : { line }), sentence }];
  if (listed === undefined)
    return size > stop ? breach(`has ${size} lines, the limit is ${stop}: split it by its ideas.`) : [];
  if (size <= stop) return breach("fits now: take it off tooling/rules/budgets.json.");
  if (size > listed) return breach(`grew from ${listed} to ${size} lines: an old offender may only shrink.`);
  return size < listed ? breach(`shrank to ${size} lines: write ${size} into tooling/rules/budgets.json.`) : [];
}

/** Limits in lines. Size follows the idea: most files have 100 to 300 lines, most functions 5 to 25 (CONTRIBUTING.md). */
export const stops = { file: 600, testFile: 600, function: 70, testFunction: 120, component: 120 };

/** Something that has a size and a limit. Its key is `path` or `path#function`. */
interface Measured {
  key: string;
  line?: number;
  size: number;
  stop: number;
}

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** The file itself and every function in it that has a stop. A style sheet has no functions. */
export function measure(file: SourceFile): Measured[] {
  const lines = file.text.replace(/\n$/, "").split("\n").length;
  const measured: Measured[] = [{ key: file.path, size: lines, stop: isTest(file.path) ? stops.testFile : stops.file }];
  if (file.path.endsWith(".css")) return measured;
  const syntax = parse(file);
  walk(syntax.program, (node, ancestors) => {
    if (!functions.has(node.type) || isDescribe(ancestors.at(-1))) return;
    measured.push(measureFunction(file, syntax, node, ancestors));
  });
  return measured;
}

function measureFunction(
  file: SourceFile,
  syntax: Syntax,
  node: SyntaxNode,
  ancestors: readonly SyntaxNode[],
): Measured {
  const line = syntax.lineAt(node.start);
  const name = nameOfFunction(node, ancestors);
  const size = syntax.lineAt(node.end) - line + 1;
  return { key: `${file.path}#${name ?? "anonymous"}`, line, size, stop: stopOf(file.path, name) };
}

function stopOf(path: string, name: string | undefined): number {
  if (isTest(path)) return stops.testFunction;
  return path.endsWith(".tsx") && name !== undefined && /^[A-Z]/.test(name) ? stops.component : stops.function;
}

/** Its own name, or that of the variable, field or method it is given to. */
function nameOfFunction(node: SyntaxNode, ancestors: readonly SyntaxNode[]): string | undefined {
  const parent = ancestors.at(-1);
  return nameOf(nodeIn(node, "id")) ?? nameOf(nodeIn(parent, "id")) ?? nameOf(nodeIn(parent, "key"));
}

/** A `describe` only groups tests, so its length says nothing. */
function isDescribe(parent: SyntaxNode | undefined): boolean {
  if (parent?.type !== "CallExpression") return false;
  let callee = nodeIn(parent, "callee");
  while (callee !== undefined && nameOf(callee) === undefined)
    callee = nodeIn(callee, "object") ?? nodeIn(callee, "callee");
  return nameOf(callee) === "describe";
}
