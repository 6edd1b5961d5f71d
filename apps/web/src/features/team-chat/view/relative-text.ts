import type { Language } from "@longarm/contract/settings";
import { LOCALES } from "../../../shared/money/format.ts";
import { dateTimeText } from "../../../shared/time/time-text.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const formats = new Map<Language, Intl.RelativeTimeFormat>();

/** How long ago an ISO time is, in the page's language: "now", "5 minutes ago", "yesterday"; from a week on the day and time themselves. */
export function relativeText(time: string, now: number, language: Language): string {
  // A clock that is a little ahead tells nothing of the future.
  const ago = Math.max(0, now - Date.parse(time));
  if (!(ago < 7 * DAY_MS)) return dateTimeText(time, language);
  const format = formats.get(language) ?? new Intl.RelativeTimeFormat(LOCALES[language], { numeric: "auto" });
  formats.set(language, format);
  if (ago < MINUTE_MS) return format.format(0, "second");
  if (ago < HOUR_MS) return format.format(-Math.floor(ago / MINUTE_MS), "minute");
  if (ago < DAY_MS) return format.format(-Math.floor(ago / HOUR_MS), "hour");
  return format.format(-Math.floor(ago / DAY_MS), "day");
}
