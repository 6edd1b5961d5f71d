import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../source/repository.ts";

export const languages = ["tr", "en", "ar"] as const;
export type Language = (typeof languages)[number];

/** One language's texts of one file; keys of nested objects are joined by dots. */
export interface Catalogue {
  path: string;
  language: Language;
  /** The file's name without `.json`: the area its keys begin with in code. */
  area: string;
  texts: ReadonlyMap<string, unknown>;
}

/** Where each page has its texts. */
const FOLDERS = { web: "apps/web/src/shared/i18n/catalogues", console: "apps/console/src/shared/catalogues" } as const;
export const PAGES = ["web", "console"] as const;

export function readCatalogues(page: (typeof PAGES)[number]): Catalogue[] {
  const folder = FOLDERS[page];
  return languages.flatMap((language) =>
    readdirSync(join(repositoryRoot, folder, language))
      .filter((name) => name.endsWith(".json"))
      .map((name) => {
        const path = `${folder}/${language}/${name}`;
        return toCatalogue(path, JSON.parse(readFileSync(join(repositoryRoot, path), "utf8")));
      }),
  );
}

export function toCatalogue(path: string, content: unknown): Catalogue {
  const [file = "", language = ""] = path.split("/").reverse();
  const texts = new Map(flatten(content));
  return { path, language: language as Language, area: file.replace(/\.json$/, ""), texts };
}

function flatten(content: unknown, prefix = ""): [string, unknown][] {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return [[prefix, content]];
  return Object.entries(content).flatMap(([key, value]) => flatten(value, prefix === "" ? key : `${prefix}.${key}`));
}

const plural = /_(zero|one|two|few|many|other)$/;

/** The key that code asks for: without the ending of a form for a number. */
export const baseOf = (key: string): string => key.replace(plural, "");
/** `one` of `spins_one`; undefined for a text without number forms. */
export const pluralFormOf = (key: string): string | undefined => plural.exec(key)?.[1];
/** The number forms a language has: Turkish two, Arabic six. */
export const pluralForms = (language: Language): string[] =>
  new Intl.PluralRules(language).resolvedOptions().pluralCategories;
