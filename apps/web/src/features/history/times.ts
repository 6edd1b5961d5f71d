import type { Language } from "@longarm/contract/settings";
import { LOCALES } from "@longarm/ui/money/format.ts";
import { dayAndTime, timeFormat } from "@longarm/ui/time/time-text.ts";

export function timeText(ms: number, language: Language): string {
  return dayAndTime(ms, language).join(" ");
}

const SECOND = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;

/** With seconds, because games are short: "20/11/2026 23:52:10". */
export function secondText(ms: number, language: Language): string {
  const [day] = dayAndTime(ms, language);
  // Times run left to right in every language, as English writes them.
  return `${day} ${timeFormat("en", SECOND).format(ms)}`;
}

/** Day and time of the player's own zone for spreadsheets: "2026-11-20 23:52:10". */
export function sortableTime(ms: number): string {
  const date = new Date(ms);
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0"));
  return `${dayOf(ms)} ${time.join(":")}`;
}

/** The day of an instant in the player's own zone, as a date field writes it: "2026-11-20". */
export function dayOf(ms: number): string {
  const date = new Date(ms);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part, index) => String(part).padStart(index === 0 ? 4 : 2, "0"))
    .join("-");
}

/** Midnight of a day in the player's own zone, `days` later; undefined when the text is no day. */
export function midnightOf(day: string, days = 0): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const ms = new Date(Number(year), Number(month) - 1, Number(date)).getTime();
  if (Number.isNaN(ms) || dayOf(ms) !== day) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + days).getTime();
}

/** A number of things with the group marks of the page. */
export function countText(count: number, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language]).format(count);
}
