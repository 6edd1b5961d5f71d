import { parseSync } from "vite";
import type { SourceFile } from "./repository.ts";

/** A node of the ESTree syntax tree, as far as the rules look into it. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

export interface Syntax {
  program: SyntaxNode;
  lineAt(offset: number): number;
}

const parsedBefore = new WeakMap<SourceFile, Syntax>();

/** Throws with the parser's words when the file is no valid TypeScript. */
export function parse(file: SourceFile): Syntax {
  const known = parsedBefore.get(file);
  if (known !== undefined) return known;
  const syntax = parseAnew(file);
  parsedBefore.set(file, syntax);
  return syntax;
}

function parseAnew(file: SourceFile): Syntax {
  const parsed = parseSync(file.path, file.text);
  const fault = parsed.errors[0];
  if (fault !== undefined) throw new Error(`${file.path} cannot be parsed: ${fault.message}`);
  const lineStarts = [0, ...Array.from(file.text.matchAll(/\n/g), (match) => match.index + 1)];
  return { program: parsed.program as unknown as SyntaxNode, lineAt: (offset) => lineOf(lineStarts, offset) };
}

function lineOf(lineStarts: number[], offset: number): number {
  const after = lineStarts.findIndex((start) => start > offset);
  return after === -1 ? lineStarts.length : after;
}

/** Calls `visit` for every node, parents before children; `ancestors` goes from the program down to the parent, and changes after the call. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => void,
  ancestors: SyntaxNode[] = [],
): void {
  visit(node, ancestors);
  ancestors.push(node);
  for (const field in node) {
    const value = node[field];
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child)) walk(child, visit, ancestors);
    } else if (isNode(value)) walk(value, visit, ancestors);
  }
  ancestors.pop();
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";

/** The node in a field, when there is one of that type. */
export function nodeIn(node: SyntaxNode | undefined, field: string, type?: string): SyntaxNode | undefined {
  const value = node?.[field];
  return isNode(value) && (type === undefined || value.type === type) ? value : undefined;
}

/** The name of an identifier (also a JSX or a private one); undefined for everything else. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  const named = node?.type === "Identifier" || node?.type === "JSXIdentifier" || node?.type === "PrivateIdentifier";
  return named ? (node["name"] as string) : undefined;
}

/** The text of a string literal, also of a template without expressions. */
export function stringIn(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node?.type !== "TemplateLiteral") return undefined;
  const [quasi, ...more] = node["quasis"] as { value: { cooked: string } }[];
  return more.length === 0 ? quasi?.value.cooked : undefined;
}

/** `object.property` as text (`Date.now`), when both are plain names. */
export function memberPath(node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== "MemberExpression" || node["computed"] === true) return undefined;
  const object = nodeIn(node, "object");
  const left = nameOf(object) ?? memberPath(object);
  const right = nameOf(nodeIn(node, "property"));
  return left === undefined || right === undefined ? undefined : `${left}.${right}`;
}
