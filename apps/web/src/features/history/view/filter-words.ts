import type { TextKey } from "../../../shared/i18n/text-key.ts";
import type { Speech } from "../../../shared/i18n/texts.ts";
import { timeFormat } from "../../../shared/time/time-text.ts";
import type { Filters, Period } from "../model/filters.ts";
import { midnightOf } from "../model/times.ts";
import { actionText } from "../model/words.ts";

export const PERIOD_TEXTS: Readonly<Record<Period, TextKey>> = {
  all: "history.all",
  today: "history.today",
  "7d": "history.days7",
  "30d": "history.days30",
  custom: "history.custom",
};

/** The filters that are on, in words; the search is told on its own. */
export function filterWords({ type, period, firstDay, lastDay }: Filters, speech: Speech): readonly string[] {
  const words = type === undefined ? [] : [actionText(type, speech)];
  if (period === "custom") {
    const days = [firstDay, lastDay].map((day) => dayText(day, speech) ?? "…");
    return [...words, days.join(" – ")];
  }
  return period === "all" ? words : [...words, speech.t(PERIOD_TEXTS[period])];
}

function dayText(day: string, { language }: Speech): string | undefined {
  const ms = midnightOf(day);
  return ms === undefined ? undefined : timeFormat(language, { dateStyle: "medium" }).format(ms);
}
