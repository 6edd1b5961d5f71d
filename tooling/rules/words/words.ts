import type { Breach } from "../source/breach.ts";
import type { SourceFile } from "../source/repository.ts";
import type { SyntaxNode } from "../source/syntax.ts";
import { isNode, nameOf, nodeIn, parse, walk } from "../source/syntax.ts";

/** `topUpMs`, `top_up` and `top-up.ts` → `top up …`. */
export const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .toLowerCase();

/** Those of them that the name says. */
function saidIn(name: string, banned: readonly BannedWord[]): BannedWord[] {
  const words = ` ${wordsOf(name)} `;
  return banned.filter(({ word, except }) => words.includes(` ${word} `) && except?.test(name) !== true);
}

const applies = ({ where }: BannedWord, path: string): boolean => where?.test(path) ?? true;

const sentenceFor = (name: string, { word, instead }: BannedWord): string =>
  `says "${word}" in ${name}: the glossary's word is ${instead}.`;

/** Words of the glossary's "do not write" column in names that the file itself gives. */
export function wordBreaches(file: SourceFile): Breach[] {
  const banned = bannedWords.filter((word) => applies(word, file.path));
  return declaredNames(file).flatMap(({ name, line }) =>
    saidIn(name, banned).map((word) => ({ path: file.path, line, sentence: sentenceFor(name, word) })),
  );
}

/** The same words in names of files and folders, and names that say nothing at all. */
export function pathBreaches(path: string): Breach[] {
  const names = path.split("/").map((part) => part.replace(/\..*$/, ""));
  const empty = names.filter((name) => emptyNames.includes(name.toLowerCase()));
  const wrong = names.flatMap((name) =>
    emptyNames.includes(name)
      ? []
      : saidIn(
          name,
          bannedWords.filter((word) => applies(word, path)),
        ).map((word) => ({ name, word })),
  );
  return [
    ...empty.map((name) => ({
      path,
      sentence: `lies in or is called "${name}", which says nothing: name it after its noun.`,
    })),
    ...wrong.map(({ name, word }) => ({ path, sentence: sentenceFor(name, word) })),
  ];
}

/** A word the glossary gives to nothing of ours, and what to write instead. */
interface BannedWord {
  /** The word's parts in lower case: `coinIn` is `coin in`. */
  word: string;
  instead: string;
  /** Only in these files; everywhere when absent. */
  where?: RegExp;
  /** Names in which the word is right: the wire's own, or another meaning. */
  except?: RegExp;
}

const money = /^packages\/ledger\/|^apps\/platform\/src\/modules\/(wallet|play|seats|history)\//;
/**
 * A payment is money that a player adds to a wallet or withdraws from it, as the field calls it (record 0238): the word of its module, of the desk that
 * takes and pays cash, of their wire, pages and proofs. Everywhere else money moves by transfers.
 */
const notPayments =
  /^(?!packages\/contract\/|apps\/platform\/(migrations|src\/modules)\/payments\/|apps\/platform\/src\/modules\/staff\/|apps\/console\/src\/features\/cashier\/|apps\/web\/src\/features\/payments\/|proof\/provider\/|proof\/money\/(figures|provider-side|visitor)\.ts|rig\/simulated-provider\/|docs\/(operating|runbooks)\/payment-)/;
const notHardware = /^packages\/(ledger|database)\/|^apps\/(web|platform)\//;

const bannedWords: readonly BannedWord[] = [
  {
    word: "slot",
    instead: "machine (what the player picks), or the name of what it holds",
    except: /slot-?sessions?/i,
  },
  { word: "denom", instead: "denomination", where: /^(?!apps\/agent\/src\/drivers\/sas\/)/ },
  { word: "payment", instead: "transfer", where: notPayments },
  { word: "movement", instead: "transfer", where: money },
  { word: "booking", instead: "reservation" },
  { word: "freeze", instead: "hold (freeze is a fault of the picture)", where: money },
  { word: "authorise", instead: "hold", where: money },
  { word: "authorize", instead: "hold", where: money },
  { word: "buy in", instead: "cashIn" },
  { word: "top up", instead: "cashIn" },
  { word: "coin in", instead: "cashIn (coin-in is a meter of the machine)", where: notHardware },
  { word: "coin out", instead: "cashOut (coin-out is a meter of the machine)", where: notHardware },
  { word: "customer", instead: "player" },
  { word: "egm", instead: "machine", where: /^apps\/web\// },
  { word: "lag", instead: "delayMs, or stall" },
  { word: "mock", instead: "fake (a small stand-in of a test) or simulated (a complete one)" },
  { word: "stub", instead: "fake (a small stand-in of a test) or simulated (a complete one)" },
  { word: "util", instead: "the noun it is about" },
  { word: "utils", instead: "the noun it is about" },
  { word: "helper", instead: "the noun it is about" },
  { word: "helpers", instead: "the noun it is about" },
];

/** Names of folders and files that say nothing. */
const emptyNames: readonly string[] = ["utils", "util", "helpers", "helper", "common", "misc", "lib", "stuff"];

interface DeclaredName {
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
function declaredNames(file: SourceFile): DeclaredName[] {
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
