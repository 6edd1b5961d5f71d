import type { Language, OperatorText } from "@longarm/contract/settings";

/** The operator's words in the spoken language, else in the first one that they wrote. */
export function operatorText(given: OperatorText, language: Language): string {
  if (typeof given === "string") return given;
  return given[language] ?? given.en ?? given.tr ?? given.ar ?? "";
}
