import type { Language } from "@longarm/contract/settings";
import { LOCALES } from "../money/format.ts";

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;
const formats = new Map<Language, Intl.RelativeTimeFormat>();

/** How long ago something was, in the largest whole unit: "2 hours ago", "yesterday"; "now" under a minute. */
export function agoText(ms: number, language: Language): string {
  const format = formats.get(language) ?? new Intl.RelativeTimeFormat(LOCALES[language], { numeric: "auto" });
  formats.set(language, format);
  const [unit, size] = UNITS.find(([, size]) => ms >= size) ?? (["second", Number.POSITIVE_INFINITY] as const);
  return format.format(-Math.floor(ms / size), unit);
}
