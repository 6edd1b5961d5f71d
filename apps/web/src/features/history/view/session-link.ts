import { paths } from "../../../shared/paths/paths.ts";
import { NO_FILTERS, queryOf } from "../model/filters.ts";
import type { HistoryRow } from "../model/row.ts";
import { dayOf } from "../model/times.ts";

/** The link to one play session: the sheet over the list. */
export function sessionOf({ id }: HistoryRow) {
  const search = (now: Record<string, unknown>) => ({ ...now, session: id });
  return { to: paths.slotSessions, search, resetScroll: false } as const;
}

/** The link to the transactions of a play session: its machine and its days. Undefined when the row does not tell them. */
export function transactionsOf({ machine, startMs, endMs }: HistoryRow) {
  if (machine === undefined || startMs === undefined) return undefined;
  const firstDay = dayOf(startMs);
  const lastDay = endMs === undefined ? "" : dayOf(endMs);
  const search = queryOf({}, { ...NO_FILTERS, search: machine, period: "custom", firstDay, lastDay });
  return { to: paths.transactions, search } as const;
}
