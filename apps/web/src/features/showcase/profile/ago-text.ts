import type { Language } from "@longarm/contract/settings";
import { LOCALES } from "../../../shared/money/format.ts";

const UNITS = [
  ["day", 1_440],
  ["hour", 60],
  ["minute", 1],
] as const;

/** How long ago something was, in the largest unit that fills: "2 hours ago", and "now" under a minute. */
export function agoText(minutes: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(LOCALES[language], { numeric: "auto" });
  const [unit, size] = UNITS.find(([, size]) => minutes >= size) ?? (["second", 1] as const);
  return format.format(-Math.floor(minutes / size), unit);
}
