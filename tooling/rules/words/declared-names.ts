import type { SourceFile } from "../source/repository.ts";
import type { SyntaxNode } from "../source/syntax.ts";
import { isNode, nameOf, nodeIn, parse, walk } from "../source/syntax.ts";

export interface DeclaredName {
  name: string;
  line: number;
}

const declaresInId = new Set([
  "VariableDeclarator",
  "FunctionDeclaration",
  "FunctionExpression",
  "ClassDeclaration",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
]);
const declaresInKey = new Set(["TSPropertySignature", "TSMethodSignature", "PropertyDefinition", "MethodDefinition"]);

/**
 * The names a file gives: variables, functions, parameters, types and their fields. Names that others gave (what is
 * imported, called or passed as an option) are not ours to choose and are not listed.
 */
export function declaredNames(file: SourceFile): DeclaredName[] {
  const { program, lineAt } = parse(file);
  const names: DeclaredName[] = [];
  const add = (node: SyntaxNode | undefined) => {
    for (const name of namesInPattern(node)) names.push({ name, line: lineAt(node?.start ?? 0) });
  };
  walk(program, (node) => {
    if (declaresInId.has(node.type)) add(nodeIn(node, "id"));
    if (declaresInKey.has(node.type)) add(nodeIn(node, "key"));
    const params = node["params"];
    if (node.type !== "TSTypeParameterInstantiation" && Array.isArray(params)) params.filter(isNode).forEach(add);
  });
  return names;
}

/** The names a pattern binds: `a`, `{ key: a }`, `[a]`, `a = 1`, `...a`. In `{ slot }` the name is the owner's of the object. */
function namesInPattern(node: SyntaxNode | undefined): string[] {
  const name = nameOf(node);
  if (name !== undefined) return [name];
  if (node?.type === "AssignmentPattern") return namesInPattern(nodeIn(node, "left"));
  if (node?.type === "RestElement") return namesInPattern(nodeIn(node, "argument"));
  if (node?.type === "ArrayPattern") return (node["elements"] as unknown[]).filter(isNode).flatMap(namesInPattern);
  if (node?.type !== "ObjectPattern") return [];
  const properties = (node["properties"] as unknown[]).filter(isNode);
  return properties
    .filter((property) => property.type === "RestElement" || property["shorthand"] !== true)
    .flatMap((property) => namesInPattern(property.type === "RestElement" ? property : nodeIn(property, "value")));
}
