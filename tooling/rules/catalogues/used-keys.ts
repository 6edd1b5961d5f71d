import type { Breach } from "../source/breach.ts";
import type { SourceFile } from "../source/repository.ts";
import type { Syntax, SyntaxNode } from "../source/syntax.ts";
import { nameOf, nodeIn, parse, stringIn, walk } from "../source/syntax.ts";
import type { Catalogue } from "./catalogue.ts";
import { baseOf } from "./catalogue.ts";

interface UsedKey {
  key: string;
  line: number;
}

/** Keys, as `area.key`, written out in `t("…")`, `speech.t("…")` and `<Trans i18nKey="…">` that no catalogue has. */
export function unknownKeyBreaches(file: SourceFile, catalogues: Catalogue[]): Breach[] {
  const known = new Set<string>();
  for (const { area, texts } of catalogues) {
    for (const key of texts.keys()) known.add(`${area}.${baseOf(key)}`);
  }
  return usedKeys(file)
    .filter(({ key }) => !known.has(key))
    .map(({ key, line }) => ({
      path: file.path,
      line,
      sentence: `asks for the text "${key}", which no catalogue has.`,
    }));
}

function usedKeys(file: SourceFile): UsedKey[] {
  const syntax = parse(file);
  const used: UsedKey[] = [];
  walk(syntax.program, (node) => used.push(...keysIn(node, syntax)));
  return used;
}

function keysIn(node: SyntaxNode, { lineAt }: Syntax): UsedKey[] {
  const said =
    node.type === "CallExpression" && isTranslate(nodeIn(node, "callee")) ? firstArgument(node) : transKey(node);
  return literals(said).map((key) => ({ key, line: lineAt(node.start) }));
}

const isTranslate = (callee: SyntaxNode | undefined): boolean =>
  nameOf(callee) === "t" || (callee?.type === "MemberExpression" && nameOf(nodeIn(callee, "property")) === "t");

const firstArgument = (call: SyntaxNode): SyntaxNode | undefined => (call["arguments"] as SyntaxNode[])[0];

function transKey(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type !== "JSXAttribute" || nameOf(nodeIn(node, "name")) !== "i18nKey") return undefined;
  const value = nodeIn(node, "value");
  return nodeIn(value, "expression") ?? value;
}

/** Also both arms of `a ? "x" : "y"`, and all of a list. */
function literals(node: SyntaxNode | undefined): string[] {
  const text = stringIn(node);
  if (text !== undefined) return [text];
  if (node?.type === "ArrayExpression") return (node["elements"] as SyntaxNode[]).flatMap(literals);
  if (node?.type !== "ConditionalExpression") return [];
  return [...literals(nodeIn(node, "consequent")), ...literals(nodeIn(node, "alternate"))];
}
