import type { Breach } from "../source/breach.ts";
import type { SourceFile } from "../source/repository.ts";
import type { BannedWord } from "./banned.ts";
import { bannedWords, emptyNames } from "./banned.ts";
import { declaredNames } from "./declared-names.ts";

/** `topUpMs`, `top_up` and `top-up.ts` → `top up …`. */
export const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .toLowerCase();

const says = ({ word, except }: BannedWord, name: string): boolean =>
  ` ${wordsOf(name)} `.includes(` ${word} `) && except?.test(name) !== true;

const applies = ({ where }: BannedWord, path: string): boolean => where?.test(path) ?? true;

const sentenceFor = (name: string, { word, instead }: BannedWord): string =>
  `says "${word}" in ${name}: the glossary's word is ${instead}.`;

/** Words of the glossary's "do not write" column in names that the file itself gives. */
export function wordBreaches(file: SourceFile): Breach[] {
  const banned = bannedWords.filter((word) => applies(word, file.path));
  return declaredNames(file).flatMap(({ name, line }) =>
    banned
      .filter((word) => says(word, name))
      .map((word) => ({ path: file.path, line, sentence: sentenceFor(name, word) })),
  );
}

/** The same words in names of files and folders, and names that say nothing at all. */
export function pathBreaches(path: string): Breach[] {
  const names = path.split("/").map((part) => part.replace(/\..*$/, ""));
  const empty = names.filter((name) => emptyNames.includes(name.toLowerCase()));
  const wrong = names.flatMap((name) =>
    bannedWords
      .filter((word) => applies(word, path) && says(word, name) && !emptyNames.includes(name))
      .map((word) => ({ name, word })),
  );
  return [
    ...empty.map((name) => ({
      path,
      sentence: `lies in or is called "${name}", which says nothing: name it after its noun.`,
    })),
    ...wrong.map(({ name, word }) => ({ path, sentence: sentenceFor(name, word) })),
  ];
}
