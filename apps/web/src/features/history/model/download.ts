import { createStore } from "zustand/vanilla";
import type { ApiFailure } from "../../../shared/api/failure.ts";
import { ApiError } from "../../../shared/api/failure.ts";
import type { Live } from "../../../shared/live/live.ts";
import type { ListingPage, Place } from "../api/listing.ts";
import { FIRST, placeAfter } from "../api/listing.ts";
import { BYTE_ORDER_MARK } from "./csv.ts";
import type { HistoryRow } from "./row.ts";

/** Rows of one call. A platform that knows only smaller pages refuses the first size and gets the second. */
const PAGE_SIZES = [500, 100] as const;

export type DownloadState =
  | { readonly is: "idle" }
  | { readonly is: "running"; readonly rows: number; readonly total: number | undefined }
  /** What was fetched is kept for another try. */
  | { readonly is: "failed"; readonly rows: number; readonly failure: ApiFailure };

/** What one file is made of. */
export type FilePlan = {
  readonly fileName: string;
  readonly head: string;
  readonly fetchPage: (place: Place, limit: number, signal: AbortSignal) => Promise<ListingPage>;
  /** The lines of some rows, those left out that were not asked for. */
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
    tell(now, page.total);
    return false;
  }

  function tell(now: Job, total: number | undefined): void {
    if (job === now) state.setState({ is: "running", rows: now.rows, total }, true);
  }

  async function run(now: Job): Promise<void> {
    tell(now, undefined);
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
