import type { Language } from "@longarm/contract/settings";
import { createStore } from "zustand/vanilla";
import type { Live } from "../live.ts";

/** A page declares its own keys here, by merging a member `keys` into it: `apps/web/src/shared/i18n/text-key.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: declarations merge into interfaces only.
export interface Catalogues {}
/** Every key of the page's catalogues, as `area.key`. */
type RegisteredKey = Catalogues extends { readonly keys: infer Keys extends string } ? Keys : `${string}.${string}`;

/** A part of the catalogue that a screen needs: one file per language. */
export type Area = RegisteredKey extends `${infer A}.${string}` ? A : never;
/** The text of a key, with `{name}` filled in. `count` picks the plural form. */
export type Translate = (key: RegisteredKey, params?: TextParams) => string;

/** The language now spoken. A new object with every change, so that its readers draw again. */
export type Speech = {
  readonly language: Language;
  readonly t: Translate;
  /** The text of a key that may not exist (codes that come over the wire). */
  readonly find: (key: string, params?: TextParams) => string | undefined;
};

export type Texts = {
  readonly speech: Live<Speech>;
  /** Loads these areas in the present language; done ones cost nothing. */
  need(...areas: Area[]): Promise<void>;
  /** Changes the language once everything loaded so far is there in it too. */
  speak(language: Language): Promise<void>;
};

/** Loads one catalogue file. Rejects when it cannot be had. */
export type LoadCatalogue = (language: Language, area: Area) => Promise<Readonly<Record<string, string>>>;

export async function createTexts(first: Language, load: LoadCatalogue, areas: readonly Area[]): Promise<Texts> {
  const catalogues = new Map<Language, Catalogue>();
  const needed = new Set<Area>();
  const loading = new Map<string, Promise<void>>();

  function loadOne(language: Language, area: Area): Promise<void> {
    const key = `${language} ${area}`;
    const known = loading.get(key);
    if (known !== undefined) return known;
    const done = load(language, area).then((texts) => {
      const catalogue = catalogues.get(language) ?? new Map<string, string>();
      for (const [key, text] of Object.entries(texts)) catalogue.set(`${area}.${key}`, text);
      catalogues.set(language, catalogue);
    });
    // A file that could not be loaded is requested again next time.
    done.catch(() => loading.delete(key));
    loading.set(key, done);
    return done;
  }

  function speechOf(language: Language): Speech {
    const find = (key: string, params?: TextParams) =>
      fillText(catalogues.get(language) ?? new Map(), language, key, params);
    // A key that is missing is shown as it is: the rules of the repository keep that from happening.
    return { language, find, t: (key, params) => find(key, params) ?? key };
  }

  async function needIn(language: Language, wanted: Iterable<Area>): Promise<void> {
    await Promise.all([...wanted].map((area) => loadOne(language, area)));
  }

  for (const area of areas) needed.add(area);
  await needIn(first, needed);
  const speech = createStore<Speech>(() => speechOf(first));
  let wanted = first;
  return {
    speech,
    async need(...more) {
      for (const area of more) needed.add(area);
      // Not the others: one that could not be had is no reason to keep a screen away that does without it.
      await Promise.all([needIn(wanted, more), needIn(speech.getState().language, more)]);
    },
    async speak(language) {
      wanted = language;
      try {
        await needIn(language, needed);
      } catch (error) {
        // The old language is spoken on, and what is needed next is needed in it.
        if (wanted === language) wanted = speech.getState().language;
        throw error;
      }
      if (wanted === language) speech.setState(speechOf(language), true);
    },
  };
}

export type TextParams = Readonly<Record<string, string | number>>;
/** The texts of one language by their full key, such as `lobby.free_other`. */
type Catalogue = Map<string, string>;

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
