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

/** The venue's wall clock, as a field of day and time holds it: "2026-11-20T21:42". */
export function wallOf(ms: number, timeZone: string): string {
  const parts = timeFormat("en", { ...MINUTE, ...DAY, timeZone }).formatToParts(ms);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}

/** The instant of a wall clock, ms; undefined: it says no time. Of an hour that comes twice, the first one. */
export function instantOfWall(wall: string, timeZone: string): number | undefined {
  const asUtc = Date.parse(`${wall.slice(0, 16)}Z`);
  if (Number.isNaN(asUtc) || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(wall)) return undefined;
  const ahead = (ms: number) => Date.parse(`${wallOf(ms, timeZone)}Z`) - ms;
  // The zone may be another one at the first guess than at the instant itself.
  return asUtc - ahead(asUtc - ahead(asUtc));
}

/** What is left until then: "11:40"; hours before it where there are any. */
export function leftText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const two = (part: number) => String(part).padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
