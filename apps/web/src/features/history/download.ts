import type { Speech } from "@longarm/ui/i18n/texts.ts";
import type { Live } from "@longarm/ui/live.ts";
import { decimalText } from "@longarm/ui/money/format.ts";
import { elapsedText } from "@longarm/ui/time/time-text.ts";
import { createStore } from "zustand/vanilla";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { ApiError } from "../../shared/api/failure.ts";
import type { Column } from "./columns.ts";
import { COLUMN_TEXTS } from "./columns.ts";
import type { Filters } from "./filters.ts";
import { passes } from "./filters.ts";
import type { ListingPage, ListingSource, Place, Wanted } from "./listings.ts";
import { FIRST, fetchPage, placeAfter } from "./listings.ts";
import type { HistoryRow } from "./row.ts";
import { actionText, sourceText } from "./row.ts";
import { dayOf, sortableTime } from "./times.ts";

/** Rows of one call. A platform that knows only smaller pages refuses the first size and gets the second. */
const PAGE_SIZES = [500, 100] as const;

export type DownloadState =
  | { readonly is: "idle" }
  | { readonly is: "running"; readonly rows: number; readonly total: number | undefined }
  /** What was fetched is kept for another try. */
  | { readonly is: "failed"; readonly rows: number; readonly failure: ApiFailure };

/** What one file is made of. */
type FilePlan = {
  readonly fileName: string;
  readonly head: string;
  readonly fetchPage: (place: Place, limit: number, signal: AbortSignal) => Promise<ListingPage>;
  /** The lines of those rows that match. */
  readonly linesOf: (rows: readonly HistoryRow[]) => string;
};

/** A file made of all pages of a listing, one call after the other, so that any number of rows neither freezes nor fills the page. */
export type Download = {
  readonly state: Live<DownloadState>;
  start(plan: FilePlan): void;
  /** Goes on where it failed. */
  retry(): void;
  /** Stops, and forgets what was fetched. */
  cancel(): void;
};

type Job = FilePlan & {
  readonly ender: AbortController;
  readonly parts: Blob[];
  readonly seen: Set<string>;
  rows: number;
  place: Place;
  limit: (typeof PAGE_SIZES)[number];
};

export function createDownload(save: (file: Blob, fileName: string) => void): Download {
  const state = createStore<DownloadState>(() => ({ is: "idle" }));
  let job: Job | undefined;

  /** One page into the file; true when it was the last. */
  async function takePage(now: Job): Promise<boolean> {
    const page = await fetchInSize(now);
    const fresh = page.rows.filter(({ id }) => !now.seen.has(id));
    // A cursor never brings a row twice; page numbers do, when rows are added meanwhile.
    if (page.next === undefined) for (const { id } of fresh) now.seen.add(id);
    now.parts.push(new Blob([now.linesOf(fresh)]));
    now.rows += fresh.length;
    // A platform that ignores page numbers says the same again and again.
    const isStuck = page.next === undefined ? fresh.length === 0 : page.next === now.place.after;
    const next = isStuck ? undefined : placeAfter(page, now.place, now.rows);
    if (next === undefined) return true;
    now.place = next;
    report(now, page.total);
    return false;
  }

  function report(now: Job, total: number | undefined): void {
    if (job === now) state.setState({ is: "running", rows: now.rows, total }, true);
  }

  async function run(now: Job): Promise<void> {
    report(now, undefined);
    try {
      let isLast = false;
      while (!isLast && job === now) isLast = await takePage(now);
      if (job !== now) return;
      job = undefined;
      save(new Blob([BYTE_ORDER_MARK, now.head, ...now.parts], { type: "text/csv;charset=utf-8" }), now.fileName);
      state.setState({ is: "idle" }, true);
    } catch (error) {
      if (job !== now) return;
      if (!(error instanceof ApiError)) {
        // A bug, or no memory left: going on would meet it again, starting anew may not.
        job = undefined;
        state.setState({ is: "idle" }, true);
        throw error;
      }
      state.setState({ is: "failed", rows: now.rows, failure: error.failure }, true);
    }
  }

  return {
    state,
    start(plan) {
      if (job !== undefined) return;
      const fresh = { parts: [], seen: new Set<string>(), rows: 0, place: FIRST, limit: PAGE_SIZES[0] };
      job = { ...plan, ...fresh, ender: new AbortController() };
      void run(job);
    },
    retry() {
      if (job !== undefined && state.getState().is === "failed") void run(job);
    },
    cancel() {
      job?.ender.abort();
      job = undefined;
      state.setState({ is: "idle" }, true);
    },
  };
}

async function fetchInSize(job: Job): Promise<ListingPage> {
  const [large, small] = PAGE_SIZES;
  try {
    return await job.fetchPage(job.place, job.limit, job.ender.signal);
  } catch (error) {
    const refused = error instanceof ApiError && error.failure.httpStatus === 400;
    if (!refused || job.limit !== large || job.rows > 0) throw error;
    job.limit = small;
    return job.fetchPage(job.place, small, job.ender.signal);
  }
}

type Shown = {
  readonly source: ListingSource;
  readonly wanted: Wanted;
  readonly filters: Filters;
  readonly columns: readonly Column[];
  readonly nowMs: number;
  /** ISO 4217 code; it is beside the word of the amounts, whose figures have no sign. */
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

/** A cell of a file: a word that somebody wrote, or a figure of ours. Missing values are empty words. */
export type FileCell = { readonly is: "word" | "figure"; readonly text: string };

const word = (text: string | undefined): FileCell => ({ is: "word", text: text ?? "" });
const figure = (value: number | undefined): FileCell =>
  value === undefined ? word(undefined) : { is: "figure", text: String(value) };
const time = (ms: number | undefined): FileCell => word(ms === undefined ? undefined : sortableTime(ms));

/** A cell of a downloaded file: the words of the page, but times and amounts as spreadsheets read them. */
function fileCell(row: HistoryRow, column: Column, speech: Speech): FileCell {
  switch (column) {
    case "machine":
      return word(row.machine);
    case "operationDate":
      return time(row.operationMs);
    case "start":
      return time(row.startMs);
    case "end":
      return time(row.endMs);
    case "type":
      return word(row.type === undefined ? undefined : actionText(row.type, speech));
    case "from":
      return word(row.from === undefined ? undefined : sourceText(row.from, speech));
    case "duration":
      return word(row.duration === undefined ? undefined : elapsedText(row.duration * 1_000));
    case "spins":
      return figure(row.spins);
    case "freeSpins":
      return figure(row.freeSpins);
    case "amount":
      return row.amount === undefined ? word(undefined) : { is: "figure", text: decimalText(row.amount) };
  }
}

/** Marks the file as UTF-8 for every spreadsheet. */
export const BYTE_ORDER_MARK = "\uFEFF";
const LINE_END = "\r\n";
/**
 * What begins so is a formula to a spreadsheet; the wide forms too. A cell may also begin within a text: where decimals have a comma (as in
 * Turkish), spreadsheets part cells by the semicolon, and some part them by the tab.
 */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=[^\S\t\r\n]*[=+\-@＝＋－＠])/g;

/** Lines of RFC 4180: quotes where they are needed, quotes doubled, CR LF behind each line. */
export function csvLines(rows: readonly (readonly FileCell[])[]): string {
  return rows.map((cells) => `${cells.map(csvField).join(",")}${LINE_END}`).join("");
}

/** Words are made harmless: what looks like a formula gets an apostrophe, which spreadsheets do not show. */
function csvField({ is, text }: FileCell): string {
  const safe = is === "word" ? text.replace(FORMULA, "'") : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
