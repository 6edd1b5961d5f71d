import type { Breach } from "../source/breach.ts";
import type { Catalogue, Language } from "./catalogue.ts";
import { baseOf, languages, pluralFormOf, pluralForms } from "./catalogue.ts";

/** Differences between the languages of one area, and texts that are none. */
export function catalogueBreaches(catalogues: Catalogue[]): Breach[] {
  const byArea = Map.groupBy(catalogues, ({ area }) => area);
  return Array.from(byArea.values()).flatMap((group) => [
    ...missingFiles(group),
    ...missingKeys(group),
    ...group.flatMap(emptyTexts),
    ...group.flatMap(missingForms),
    ...differentPlaceholders(group),
  ]);
}

function missingFiles(group: Catalogue[]): Breach[] {
  const has = new Set<Language>(group.map(({ language }) => language));
  const [first] = group;
  const missing = languages.filter((language) => !has.has(language));
  return missing.map((language) => ({
    path: first?.path ?? "",
    sentence: `has no ${language} beside it: every text exists in all languages.`,
  }));
}

function missingKeys(group: Catalogue[]): Breach[] {
  const everywhere = new Set(group.flatMap(({ texts }) => Array.from(texts.keys(), baseOf)));
  return group.flatMap(({ path, texts }) => {
    const here = new Set(Array.from(texts.keys(), baseOf));
    const missing = Array.from(everywhere).filter((key) => !here.has(key));
    return missing.map((key) => ({ path, sentence: `lacks "${key}", which another language has.` }));
  });
}

function emptyTexts({ path, texts }: Catalogue): Breach[] {
  const empty = Array.from(texts).filter(([, text]) => typeof text !== "string" || text.trim() === "");
  return empty.map(([key]) => ({ path, sentence: `has no text for "${key}".` }));
}

/** A text with number forms needs every form of its language; the key itself would be shown otherwise. */
function missingForms({ path, language, texts }: Catalogue): Breach[] {
  const counted = new Set(Array.from(texts.keys()).filter(pluralFormOf).map(baseOf));
  return Array.from(counted).flatMap((base) =>
    pluralForms(language)
      .filter((form) => !texts.has(`${base}_${form}`))
      .map((form) => ({
        path,
        sentence: `lacks "${base}_${form}": ${language} has the number forms ${pluralForms(language).join(", ")}.`,
      })),
  );
}

function differentPlaceholders(group: Catalogue[]): Breach[] {
  const wanted = new Map<string, { from: string; placeholders: string }>();
  const breaches: Breach[] = [];
  for (const { path, texts } of group) {
    for (const [key, text] of texts) {
      const placeholders = placeholdersIn(String(text), pluralFormOf(key) !== undefined);
      const first = wanted.get(baseOf(key));
      if (first === undefined) wanted.set(baseOf(key), { from: path, placeholders });
      else if (first.placeholders !== placeholders) {
        breaches.push({
          path,
          sentence: `fills "${key}" with ${placeholders || "nothing"}, but ${first.from} with ${first.placeholders || "nothing"}.`,
        });
      }
    }
  }
  return breaches;
}

/** `{amount}`, `$t(key)` and `<0>` of a text. A form for one number may leave the number out ("one spin"). */
function placeholdersIn(text: string, counted: boolean): string {
  const found = Array.from(
    text.matchAll(/\{+\s*([\w.]+)[^}]*\}+|(\$t\([^)]*\))|<(\/?\w+)\s*\/?>/g),
    ([, name, nested, tag]) => {
      if (name !== undefined) return `{${name}}`;
      return nested ?? `<${tag}>`;
    },
  );
  return Array.from(new Set(found.filter((placeholder) => !(counted && placeholder === "{count}"))))
    .sort()
    .join(" ");
}
