import type { Language } from "@longarm/contract/settings";
import { LOCALES } from "../money/format.ts";

/** Day, month, year, hour and minute of an ISO time in the page's language and the player's own zone. A text that is no time stays as it came. */
export function dateTimeText(time: string, language: Language): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return time;
  return dayAndTime(at, language).join(" ");
}

/** With the names of months that most Arabic readers use: the locale of amounts has those of Algeria. */
const ARABIC = "ar-EG-u-nu-latn";

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format of times in the language of the page, made once. */
export function timeFormat(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(language === "ar" ? ARABIC : LOCALES[language], options);
  formats.set(key, made);
  return made;
}

const DAY = { day: "2-digit", month: "2-digit", year: "numeric" } as const;
const MINUTE = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** Day and time of day, as two texts that may be placed one below the other. */
export function dayAndTime(ms: number, language: Language): readonly [string, string] {
  const texts = [timeFormat(language, DAY).format(ms), timeFormat(language, MINUTE).format(ms)];
  // Arabic formats carry marks that reverse the figures; times run left to right in every language.
  const [day = "", time = ""] = texts.map((text) => text.replace(/[\u200e\u200f\u061c]/g, ""));
  return [day, time];
}

/** Hours, minutes and seconds of a time in ms: "00:42:18"; hours continue beyond a day. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return [seconds / 3_600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
}
