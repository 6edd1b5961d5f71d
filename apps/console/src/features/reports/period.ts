import type { Language } from "@longarm/contract/settings";
import type { ReportGroup } from "@longarm/contract/staff-reports";
import { REPORT_GROUPS } from "@longarm/contract/staff-reports";
import { timeFormat } from "@longarm/ui/time/time-text.ts";

/** How long a report is. A week ends with its day; months and years are those of the calendar. */
export const PERIODS = ["day", "week", "month", "year"] as const;
export type Period = (typeof PERIODS)[number];

/** What the page shows, as its address says it. */
export type View = {
  readonly period: Period;
  /** The business day that the period ends with or lies around; undefined: today. */
  readonly day?: string | undefined;
  readonly by: ReportGroup;
  readonly brand?: string | undefined;
  /** Minor units of one credit. */
  readonly denomination?: number | undefined;
};

export const FIRST_VIEW: View = { period: "week", by: "brand" };

const oneOf = <const Words extends readonly string[]>(words: Words, value: unknown): Words[number] | undefined =>
  words.find((word) => word === value);

/** Reads an address; what makes no sense in it is left out. */
export function viewOf(search: Readonly<Record<string, unknown>>): View {
  const denomination = Number(search["denomination"]);
  const { day, brand } = search;
  return {
    period: oneOf(PERIODS, search["period"]) ?? FIRST_VIEW.period,
    by: oneOf(REPORT_GROUPS, search["by"]) ?? FIRST_VIEW.by,
    ...(typeof day === "string" && isDay(day) && { day }),
    // The router reads a brand of nothing but figures as a number.
    ...(brand !== undefined && brand !== "" && { brand: String(brand).slice(0, 100) }),
    ...(Number.isSafeInteger(denomination) && denomination > 0 && { denomination }),
  };
}

/** The same as the parts of an address, without what is as usual. */
export function searchOf({ period, day, by, brand, denomination }: View): Record<string, string | number> {
  return {
    ...(period !== FIRST_VIEW.period && { period }),
    ...(day !== undefined && { day }),
    ...(by !== FIRST_VIEW.by && { by }),
    ...(brand !== undefined && { brand }),
    ...(denomination !== undefined && { denomination }),
  };
}

const DAY_MS = 86_400_000;
const at = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function isDay(text: string): boolean {
  return /^2[01]\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(at(text)) && dayAt(at(text)) === text;
}

/** The business day of an instant. */
export function businessDay(ms: number, timeZone: string, beginsMinutes: number): string {
  const parts = timeFormat("en", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit" },
  }).formatToParts(ms);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const wall = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"));
  return dayAt(wall - beginsMinutes * 60_000);
}

/** The first and the last business day of a period. */
export function daysOf(period: Period, day: string): { readonly from: string; readonly to: string } {
  const date = new Date(at(day));
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (period) {
    case "day":
      return { from: day, to: day };
    case "week":
      return { from: dayAt(at(day) - 6 * DAY_MS), to: day };
    case "month":
      return { from: dayAt(Date.UTC(year, month, 1)), to: dayAt(Date.UTC(year, month + 1, 0)) };
    case "year":
      return { from: dayAt(Date.UTC(year, 0, 1)), to: dayAt(Date.UTC(year, 11, 31)) };
  }
}

/** The day that the period before or after has. A 31st becomes the last day of a shorter month. */
export function shifted(period: Period, day: string, by: -1 | 1): string {
  if (period === "day") return dayAt(at(day) + by * DAY_MS);
  if (period === "week") return dayAt(at(day) + by * 7 * DAY_MS);
  const date = new Date(at(day));
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + by * (period === "year" ? 12 : 1);
  const last = new Date(Date.UTC(0, months + 1, 0));
  last.setUTCFullYear(Math.floor((months + 1) / 12), (months + 1) % 12, 0);
  return dayAt(Date.UTC(Math.floor(months / 12), months % 12, Math.min(date.getUTCDate(), last.getUTCDate())));
}

/** Days or months of a period, also those in which nothing was booked. */
export function stepsOf(from: string, to: string, of: "day" | "month"): string[] {
  const steps: string[] = [];
  if (of === "day") for (let ms = at(from); ms <= at(to); ms += DAY_MS) steps.push(dayAt(ms));
  else
    for (let date = new Date(at(`${from.slice(0, 7)}-01`)); dayAt(date.getTime()) <= to; )
      steps.push(dayAt(date.getTime()).slice(0, 7)) && date.setUTCMonth(date.getUTCMonth() + 1);
  return steps;
}

const clean = (text: string): string => text.replace(/[\u200e\u200f\u061c]/g, "");
const written = (day: string, language: Language, format: Intl.DateTimeFormatOptions): string =>
  clean(timeFormat(language, { timeZone: "UTC", ...format }).format(at(day)));

/** "20 November 2026". */
const longDay = (day: string, language: Language): string =>
  written(day, language, { day: "numeric", month: "long", year: "numeric" });
/** "Fri 20". */
export const weekdayText = (day: string, language: Language): string =>
  `${written(day, language, { weekday: "short" })} ${Number(day.slice(8))}`;
/** "20". */
export const dayNumber = (day: string): string => String(Number(day.slice(8)));
/** "20.11.2026" as the language writes it. */
export const dateText = (day: string, language: Language): string =>
  written(day, language, { day: "2-digit", month: "2-digit", year: "numeric" });
/** "Nov". */
export const monthText = (month: string, language: Language): string =>
  written(`${month.slice(0, 7)}-01`, language, { month: "short" });
/** "November 2026". */
export const longMonth = (month: string, language: Language): string =>
  written(`${month.slice(0, 7)}-01`, language, { month: "long", year: "numeric" });
/** "Fri", of 1 Monday to 7 Sunday. */
export const weekdayName = (weekday: number, language: Language): string =>
  written(dayAt(Date.UTC(2024, 0, weekday)), language, { weekday: "short" });

/** A period in words: "14 to 20 November 2026" as the language writes ranges. */
export function periodText({ from, to }: { readonly from: string; readonly to: string }, language: Language): string {
  if (from === to) return longDay(from, language);
  const format = timeFormat(language, { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });
  return clean(format.formatRange(at(from), at(to)));
}
