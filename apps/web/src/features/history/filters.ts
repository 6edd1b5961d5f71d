import { fold } from "@longarm/ui/i18n/fold.ts";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import { paths } from "../../shared/paths/paths.ts";
import type { HistoryRow } from "./row.ts";
import { actionText, sourceText } from "./row.ts";
import { dayOf, midnightOf } from "./times.ts";

export const PAGE_SIZES = [10, 25, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];
export const PERIODS = ["all", "today", "7d", "30d", "custom"] as const;
type Period = (typeof PERIODS)[number];
export const SPANS = ["day", "week", "month"] as const;
export type Span = (typeof SPANS)[number];

/** What the player wants to see. All of it is in the address, so that a reload and the back button keep it. */
export type Filters = {
  readonly search: string;
  /** An action code; undefined: all of them. */
  readonly type: number | undefined;
  readonly period: Period;
  /** First and last day of a custom period, as date fields write them; empty: open on that side. */
  readonly firstDay: string;
  readonly lastDay: string;
  readonly size: PageSize;
  /** What the plot above the transactions looks back on. */
  readonly span: Span;
};
export const NO_FILTERS: Filters = {
  search: "",
  type: undefined,
  period: "all",
  firstDay: "",
  lastDay: "",
  size: 25,
  span: "week",
};
/** No name is longer. */
export const SEARCH_MAX = 100;

type Query = Readonly<Record<string, unknown>>;
const NAMES = ["search", "type", "period", "from", "to", "limit", "plot"] as const;

/** The filters of an address. Whatever is no value of ours counts as left out. */
export function filtersOf(query: Query): Filters {
  const text = (name: (typeof NAMES)[number]) => (typeof query[name] === "string" ? query[name] : "");
  const day = (name: "from" | "to") => (midnightOf(text(name)) === undefined ? "" : text(name));
  const type = /^[1-9]\d{0,2}$/.test(text("type")) ? Number(text("type")) : undefined;
  const custom = day("from") !== "" || day("to") !== "" || text("period") === "custom";
  return {
    search: text("search").slice(0, SEARCH_MAX),
    type,
    period: custom ? "custom" : (PERIODS.find((period) => period === text("period")) ?? "all"),
    firstDay: day("from"),
    lastDay: day("to"),
    size: PAGE_SIZES.find((size) => String(size) === text("limit")) ?? NO_FILTERS.size,
    span: SPANS.find((span) => span === text("plot")) ?? NO_FILTERS.span,
  };
}

/** The query of an address with these filters; everything else in it stays. Defaults are left out. */
export function queryOf(query: Query, filters: Filters): Record<string, string> {
  const others = Object.entries(query).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && !NAMES.some((name) => name === entry[0]),
  );
  const custom = filters.period === "custom";
  const own: Record<(typeof NAMES)[number], string> = {
    search: filters.search,
    type: filters.type === undefined ? "" : String(filters.type),
    period: filters.period === "all" ? "" : filters.period,
    from: custom ? filters.firstDay : "",
    to: custom ? filters.lastDay : "",
    limit: filters.size === NO_FILTERS.size ? "" : String(filters.size),
    plot: filters.span === NO_FILTERS.span ? "" : filters.span,
  };
  return Object.fromEntries([...others, ...Object.entries(own).filter(([, value]) => value !== "")]);
}

/** Whether anything but the size of the pages is set. */
export function isFiltered({ search, type, period }: Filters): boolean {
  return search !== "" || type !== undefined || period !== "all";
}

const SPAN_DAYS_BACK = { day: 0, week: 6, month: 29 } as const;
/** Where the plot begins: a midnight, epoch ms. */
export function spanStart(span: Span, nowMs: number): number {
  return midnightOf(dayOf(nowMs), -SPAN_DAYS_BACK[span]) ?? nowMs;
}

/** Instants of a period, epoch ms; `toMs` itself is not in it. */
export type Range = { readonly fromMs?: number; readonly toMs?: number };
const DAYS_BACK = { today: 0, "7d": 6, "30d": 29 } as const;

/** The period in the player's own zone: whole days, today among them. */
export function rangeOf({ period, firstDay, lastDay }: Filters, nowMs: number): Range {
  if (period === "all") return {};
  const fromMs = period === "custom" ? midnightOf(firstDay) : midnightOf(dayOf(nowMs), -DAYS_BACK[period]);
  const toMs = period === "custom" ? midnightOf(lastDay, 1) : undefined;
  return { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) };
}

export const PERIOD_TEXTS: Readonly<Record<Period, TextKey>> = {
  all: "history.all",
  today: "history.today",
  "7d": "history.days7",
  "30d": "history.days30",
  custom: "history.custom",
};

/** The filters that are on, in words; the search is named separately. */
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

/** Whether a row matches: a platform that ignores the search or the type sends others too. */
export function passes(row: HistoryRow, { search, type }: Pick<Filters, "search" | "type">, speech: Speech): boolean {
  if (type !== undefined && row.type !== undefined && row.type !== type) return false;
  const wanted = fold(search.trim());
  if (wanted === "") return true;
  const { machine = "", from = "", type: action } = row;
  const words = [machine, from, sourceText(from, speech), action === undefined ? "" : actionText(action, speech)];
  return words.some((word) => fold(word).includes(wanted));
}

/** The link to one play session: the sheet over the list. */
export function sessionOf({ id }: HistoryRow) {
  const search = (now: Record<string, unknown>) => ({ ...now, session: id });
  return { to: paths.slotSessions, search, resetScroll: false } as const;
}

/** The link to the transactions of a play session: its machine and its days. Undefined when the row does not have them. */
export function transactionsOf({ machine, startMs, endMs }: HistoryRow) {
  if (machine === undefined || startMs === undefined) return undefined;
  const firstDay = dayOf(startMs);
  const lastDay = endMs === undefined ? "" : dayOf(endMs);
  const search = queryOf({}, { ...NO_FILTERS, search: machine, period: "custom", firstDay, lastDay });
  return { to: paths.transactions, search } as const;
}
