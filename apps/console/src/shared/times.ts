import type { Language } from "@longarm/contract/settings";
import { timeFormat } from "@longarm/ui/time/time-text.ts";

const clean = (text: string): string => text.replace(/[\u200e\u200f\u061c]/g, "");
const MINUTE = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const DAY = { day: "2-digit", month: "2-digit", year: "numeric" } as const;

/** The venue's time of day, "21:42". */
export const clockText = (ms: number, timeZone: string): string =>
  clean(timeFormat("en", { ...MINUTE, timeZone }).format(ms));

/** Day and time in the venue's zone: "20.11.2026 21:42"; of today the time alone. */
export function whenText(when: string, now: number, timeZone: string, language: Language): string {
  const ms = Date.parse(when);
  const day = (at: number) => clean(timeFormat(language, { ...DAY, timeZone }).format(at));
  return day(ms) === day(now) ? clockText(ms, timeZone) : `${day(ms)} ${clockText(ms, timeZone)}`;
}

/** What is left until then: "11:40"; hours before it where there are any. */
export function leftText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const two = (part: number) => String(part).padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** A calendar day, `2031-02-01`, as the language writes it. */
export const dayText = (day: string, language: Language): string =>
  clean(timeFormat(language, { ...DAY, timeZone: "UTC" }).format(Date.parse(day)));
