import type { BreakBody } from "@longarm/contract/player-breaks";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";

type Length = Exclude<BreakBody, { kind: "panic" }>;

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** When a break that begins now would end, ms since 1970, as this computer's clock and calendar say: the platform's own answer is what holds. */
export function endOf(length: Length, nowMs: number): number {
  if (length.kind === "timeOut") return nowMs + length.hours * HOUR_MS;
  const end = new Date(nowMs);
  const day = end.getDate();
  end.setDate(1);
  end.setMonth(end.getMonth() + length.months);
  // As the database counts: the last day of a shorter month.
  end.setDate(Math.min(day, new Date(end.getFullYear(), end.getMonth() + 1, 0).getDate()));
  return end.getTime();
}

function countOf(length: Length): readonly [key: TextKey, count: number] {
  if (length.kind === "exclusion")
    return length.months % 12 === 0 ? ["breaks.years", length.months / 12] : ["breaks.months", length.months];
  const days = length.hours / DAY_HOURS;
  if (length.hours <= DAY_HOURS || !Number.isInteger(days)) return ["breaks.hours", length.hours];
  return days % 7 === 0 ? ["breaks.weeks", days / 7] : ["breaks.days", days];
}

/** Writes a length in words: "3 days", "6 months". */
export function useLength(): (length: Length) => string {
  const { t } = useText();
  return (length) => {
    const [key, count] = countOf(length);
    return t(key, { count });
  };
}

/** Writes a moment as a date with its day of the week and the time. */
export function useMoment(): (ms: number) => string {
  const { language } = useText();
  const day = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return (ms) => timeFormat(language, { ...day, ...time }).format(ms);
}
