import type { Speech } from "../../../shared/i18n/texts.ts";
import type { ListingSource, Wanted } from "../api/listing.ts";
import { fetchPage } from "../api/listing.ts";
import { fileCell } from "./cells.ts";
import type { Column } from "./columns.ts";
import { COLUMN_TEXTS } from "./columns.ts";
import { csvLines } from "./csv.ts";
import type { FilePlan } from "./download.ts";
import type { Filters } from "./filters.ts";
import { passes } from "./passes.ts";
import { dayOf } from "./times.ts";

type Shown = {
  readonly source: ListingSource;
  readonly wanted: Wanted;
  readonly filters: Filters;
  readonly columns: readonly Column[];
  readonly nowMs: number;
  /** ISO 4217 code; it stands beside the word of the amounts, whose figures have no sign. */
  readonly currency: string;
  readonly speech: Speech;
};

/** The file of what a listing shows now: its columns, its words, all of its rows. */
export function filePlan({ source, wanted, filters, columns, nowMs, currency, speech }: Shown): FilePlan {
  const head = columns.map((column) => {
    const text = speech.t(COLUMN_TEXTS[column]);
    return { is: "word", text: column === "amount" ? `${text} (${currency})` : text } as const;
  });
  return {
    fileName: `longarm-${source.kind}-${periodName(wanted, nowMs)}.csv`,
    head: csvLines([head]),
    fetchPage: (place, limit, signal) => fetchPage(source, wanted, place, limit, signal),
    linesOf: (rows) =>
      csvLines(
        rows
          .filter((row) => passes(row, filters, speech))
          .map((row) => columns.map((column) => fileCell(row, column, speech))),
      ),
  };
}

/** "2026-11-14-to-2026-11-20", or "until-2026-11-20" without a first day. */
function periodName({ fromMs, toMs }: Wanted, nowMs: number): string {
  const last = dayOf(toMs === undefined ? nowMs : toMs - 1);
  return fromMs === undefined ? `until-${last}` : `${dayOf(fromMs)}-to-${last}`;
}
