import type { Breach } from "../source/breach.ts";
import type { SourceFile } from "../source/repository.ts";
import { isTest } from "../source/repository.ts";
import type { SyntaxNode } from "../source/syntax.ts";
import { memberPath, nameOf, nodeIn, parse, walk } from "../source/syntax.ts";

/** Programs that speak to a terminal, and the web's one logger. */
const speaks =
  /^(launcher|tooling|bench|proof)\/|^e2e\/[^/]+\/main\.ts$|^(packages|apps)\/[^/]+\/tools\/|^apps\/web\/src\/shared\/(.*\/)?(log|logger)\.ts$/;
/** Where the real clock, chance and ids are made; everything else is given them. */
const makes =
  /^(tooling|rig|bench|e2e|proof)\/|^(packages|apps)\/[^/]+\/tools\/|(^|[/-])(clock|random|ids|main)\.(tsx?|mjs)$/;

/** `console` where its output is lost, and time, chance or ids that a test could not rule. */
export function purityBreaches(file: SourceFile): Breach[] {
  const silent = !speaks.test(file.path);
  const pure = !makes.test(file.path) && !isTest(file.path);
  const { program, lineAt } = parse(file);
  const breaches: Breach[] = [];
  walk(program, (node, ancestors) => {
    const sentence = (silent ? consoleIn(node) : undefined) ?? (pure ? impurityIn(node, ancestors.at(-1)) : undefined);
    if (sentence !== undefined) breaches.push({ path: file.path, line: lineAt(node.start), sentence });
  });
  return breaches;
}

function consoleIn(node: SyntaxNode): string | undefined {
  const path = memberPath(node);
  return path?.startsWith("console.") && path.split(".").length === 2
    ? `uses ${path}: write to the log that is passed in, so that it has a level, a place and no secrets.`
    : undefined;
}

function impurityIn(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  const path = memberPath(node)?.replace(/^(globalThis|window|self)\./, "");
  if (path === "Date.now") return "reads the real time (Date.now): take a Clock as an argument.";
  if (path === "Math.random") return "throws the real dice (Math.random): take the randomness as an argument.";
  if (isRandomUuid(node, parent, path)) return "makes an id (randomUUID): take the maker of ids as an argument.";
  const args = node["arguments"];
  const bareDate =
    (node.type === "NewExpression" || node.type === "CallExpression") && Array.isArray(args) && args.length === 0;
  return bareDate && nameOf(nodeIn(node, "callee")) === "Date"
    ? "reads the real time (new Date()): take a Clock as an argument."
    : undefined;
}

function isRandomUuid(node: SyntaxNode, parent: SyntaxNode | undefined, path: string | undefined): boolean {
  if (path?.endsWith(".randomUUID")) return true;
  const imported = node.type === "ImportSpecifier" && nameOf(nodeIn(node, "imported")) === "randomUUID";
  const called =
    node.type === "CallExpression" && nameOf(nodeIn(node, "callee")) === "randomUUID" && parent !== undefined;
  return imported || called;
}
