import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../launcher/venue.ts";

export type TextLanguage = "tr" | "en" | "ar";

type Texts = Readonly<Record<string, string>>;

/** The words of one area of the web, as its catalogue has them. */
export function texts(language: TextLanguage, area: string): Texts {
  return JSON.parse(readFileSync(join(ROOT, "apps/web/src/shared/i18n/catalogues", language, `${area}.json`), "utf8"));
}

export const playTexts = (language: TextLanguage): Texts => texts(language, "play");
/** The words of the wire's codes, by number. */
export const codeTexts = (language: TextLanguage): Texts => texts(language, "code");
