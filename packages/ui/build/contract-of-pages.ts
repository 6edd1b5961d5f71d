import type { Plugin } from "vite";
import { parseSync } from "vite";

/** The parts of a call that the platform alone reads: it parses what a page sends, and judges who may send it. */
const OF_THE_PLATFORM: ReadonlySet<string> = new Set(["query", "body", "for", "personal"]);
/** What makes an object a call of the contract. */
const OF_A_CALL = ["method", "path", "answer"];

/**
 * Leaves out of a page's build what pages do not use of the contract: how requests are parsed, and each schema that no page reads. A module of the
 * contract does nothing but declare, so what a declaration calls counts as free of effects, and what nothing reads is left out.
 */
export function contractOfPages(): Plugin {
  return {
    name: "longarm-contract-of-pages",
    apply: "build",
    transform: {
      filter: { id: /packages\/contract\/src\/[^?]+\.ts$/ },
      handler: (code, id) => ({ code: contractOfPage(code, id), map: null }),
    },
  };
}

/** A module of the contract as a page needs it. */
export function contractOfPage(code: string, file: string): string {
  const { program, errors } = parseSync(file, code, { lang: "ts" });
  if (errors.length > 0) throw new Error(`${file} could not be parsed: ${errors[0]?.message}`);
  const cuts: Cut[] = [];
  for (const statement of program.body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration") continue;
    for (const { init } of declaration.declarations) if (init) walk(init, cuts);
  }
  return applied(code, cuts);
}

/** `text` in the place of what is between two positions. */
type Cut = { readonly start: number; readonly end: number; readonly text: string };
type Node = { readonly type: string; readonly start: number; readonly end: number };

const FUNCTIONS: ReadonlySet<string> = new Set(["ArrowFunctionExpression", "FunctionExpression", "ClassExpression"]);

/** What runs when the module is loaded: not the bodies of functions. */
function walk(node: Node, cuts: Cut[]): void {
  if (FUNCTIONS.has(node.type)) return;
  if (node.type === "CallExpression" || node.type === "NewExpression") markPure(node, cuts);
  const left = node.type === "ObjectExpression" ? withoutPlatform(node as ObjectNode, cuts) : childrenOf(node);
  for (const child of left) walk(child, cuts);
}

/** A chain of calls begins where its first one does, and is marked once. */
function markPure({ start }: Node, cuts: Cut[]): void {
  if (cuts.every((cut) => cut.start !== start)) cuts.push({ start, end: start, text: "/* @__PURE__ */ " });
}

type ObjectNode = Node & { readonly properties: readonly (Node & { readonly key?: { readonly name?: string } })[] };

/** Cuts what is the platform's out of a call. Returns the properties that stay. */
function withoutPlatform({ properties }: ObjectNode, cuts: Cut[]): readonly Node[] {
  const names = properties.map(({ key }) => key?.name ?? "");
  if (!OF_A_CALL.every((name) => names.includes(name))) return properties;
  const stays = properties.filter((_, at) => !OF_THE_PLATFORM.has(names[at] ?? ""));
  // Between two that stay everything goes but one comma; what follows the last one goes with the comma before it.
  stays.forEach((property, at) => {
    const next = stays[at + 1];
    const after = properties[properties.indexOf(property) + 1];
    if (next !== undefined && after !== undefined) cuts.push({ start: after.start, end: next.start, text: "" });
    if (next === undefined) cuts.push({ start: property.end, end: properties.at(-1)?.end ?? property.end, text: "" });
  });
  const [first] = stays;
  if (first !== undefined) cuts.push({ start: properties[0]?.start ?? first.start, end: first.start, text: "" });
  return stays;
}

function childrenOf(node: Node): readonly Node[] {
  const parts: unknown[] = Object.values(node).flat();
  return parts.filter((part): part is Node => part !== null && typeof part === "object" && "type" in part);
}

function applied(code: string, cuts: readonly Cut[]): string {
  return cuts
    .filter(({ start, end, text }) => start < end || text !== "")
    .sort((one, other) => other.start - one.start)
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), code);
}
