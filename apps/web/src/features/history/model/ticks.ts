import type { Language } from "@longarm/contract/settings";
import { LOCALES } from "../../../shared/money/format.ts";
import { timeFormat } from "../../../shared/time/time-text.ts";
import { dayOf, midnightOf } from "./times.ts";

const HOUR_MS = 3_600_000;

/** A mark below the plot. */
export type Tick = { readonly ms: number; readonly text: string };

/** Steps between marks: minutes and hours of a day, then whole days. */
const HOURS = [0.25, 0.5, 1, 2, 4, 8] as const;
const DAYS = [1, 5] as const;
/** More marks than this run into each other on a phone. */
const TICKS_MAX = 7;

/** Marks at round times of the player's own zone: hours for up to a day and a half, else days. */
export function timeTicks(fromMs: number, toMs: number, language: Language): readonly Tick[] {
  const hours = (toMs - fromMs) / HOUR_MS;
  const ticks = hours <= 36 ? hourTicks(fromMs, hours, language) : dayTicks(fromMs, hours / 24, language);
  // One at the very end would stand outside.
  return ticks.filter(({ ms }) => ms >= fromMs && ms < toMs - (toMs - fromMs) / 20);
}

function hourTicks(fromMs: number, hours: number, language: Language): Tick[] {
  const format = timeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const step = (HOURS.find((size) => hours / size <= TICKS_MAX) ?? 8) * HOUR_MS;
  const midnight = midnightOf(dayOf(fromMs)) ?? fromMs;
  const first = midnight + Math.ceil((fromMs - midnight) / step) * step;
  return Array.from({ length: TICKS_MAX + 1 }, (_, index) => {
    const ms = first + index * step;
    return { ms, text: format.format(ms) };
  });
}

function dayTicks(fromMs: number, days: number, language: Language): Tick[] {
  const format = timeFormat(language, days <= 8 ? { weekday: "short" } : { day: "numeric", month: "short" });
  const step = DAYS.find((size) => days / size <= TICKS_MAX + 1) ?? 5;
  return Array.from({ length: TICKS_MAX + 1 }, (_, index) => midnightOf(dayOf(fromMs), index * step)).flatMap((ms) =>
    ms === undefined ? [] : [{ ms, text: format.format(ms) }],
  );
}

/** A round amount in few letters: "15 bin", "15K". */
export function shortAmount(minor: number, language: Language): string {
  const compactDisplay = language === "tr" ? "long" : "short";
  return new Intl.NumberFormat(LOCALES[language], { notation: "compact", compactDisplay }).format(minor / 100);
}
