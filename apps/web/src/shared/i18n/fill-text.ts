import type { Language } from "@longarm/contract/settings";

export type TextParams = Readonly<Record<string, string | number>>;
/** The texts of one language by their full key, such as `lobby.free_other`. */
export type Catalogue = Map<string, string>;

const rules = new Map<Language, Intl.PluralRules>();

/**
 * The text of a key with its `{places}` filled in, or undefined when the catalogue has none. A `count` picks the form of the language's plural
 * rules (`key_one`, `key_few`, …, else `key_other`), where the key has forms. A place without a value is left empty.
 */
export function fillText(
  catalogue: Catalogue,
  language: Language,
  key: string,
  params: TextParams = {},
): string | undefined {
  const text = formOf(catalogue, language, key, params["count"]) ?? catalogue.get(key);
  return text?.replace(/\{(\w+)\}/g, (_, name: string) => (Object.hasOwn(params, name) ? String(params[name]) : ""));
}

function formOf(catalogue: Catalogue, language: Language, key: string, count: unknown): string | undefined {
  if (typeof count !== "number") return undefined;
  const rule = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, rule);
  return catalogue.get(`${key}_${rule.select(count)}`) ?? catalogue.get(`${key}_other`);
}
