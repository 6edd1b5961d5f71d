import type { Language } from "@longarm/contract/settings";
import { LOCALES } from "../../../shared/money/format.ts";
import { timeFormat } from "../../../shared/time/time-text.ts";
import type { Span } from "./filters.ts";
import { dayOf, midnightOf } from "./times.ts";

const HOUR_MS = 3_600_000;

/** A mark below the plot. */
export type Tick = { readonly ms: number; readonly text: string };

/** Hours of a day, days of a week, every fifth day of a month: from `fromMs`, a midnight, to `toMs`. */
export function timeTicks(span: Span, fromMs: number, toMs: number, language: Language): readonly Tick[] {
  const ticks = span === "day" ? hourTicks(fromMs, language) : dayTicks(span, fromMs, language);
  // One at the very end would stand outside.
  return ticks.filter(({ ms }) => ms >= fromMs && ms < toMs - (toMs - fromMs) / 20);
}

function hourTicks(fromMs: number, language: Language): Tick[] {
  const format = timeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return [0, 4, 8, 12, 16, 20].map((hour) => {
    const ms = fromMs + hour * HOUR_MS;
    return { ms, text: format.format(ms) };
  });
}

function dayTicks(span: "week" | "month", fromMs: number, language: Language): Tick[] {
  const format = timeFormat(language, span === "week" ? { weekday: "short" } : { day: "numeric", month: "short" });
  const days = span === "week" ? [0, 1, 2, 3, 4, 5, 6] : [0, 5, 10, 15, 20, 25];
  return days.flatMap((day) => {
    const ms = midnightOf(dayOf(fromMs), day);
    return ms === undefined ? [] : [{ ms, text: format.format(ms) }];
  });
}

/** A round amount in few letters: "15 bin", "15K". */
export function shortAmount(minor: number, language: Language): string {
  const compactDisplay = language === "tr" ? "long" : "short";
  return new Intl.NumberFormat(LOCALES[language], { notation: "compact", compactDisplay }).format(minor / 100);
}
