import type { Language } from "@longarm/contract/settings";
import { LOCALES } from "../money/format.ts";

/** Day, month, year, hour and minute of an ISO time in the page's language and the player's own zone. A text that is no time stands as it came. */
export function dateTimeText(time: string, language: Language): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return time;
  return new Intl.DateTimeFormat(LOCALES[language], {
    day: "2-digit",
    month: "2-digit",
    year: "numeric",
    hour: "2-digit",
    hourCycle: "h23",
    minute: "2-digit",
  }).format(at);
}

/** Hours, minutes and seconds of a time in ms. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return [seconds / 3_600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
}
