import * as z from "zod/mini";
import type { ApiClient } from "../../../shared/api/client.ts";
import { dataOf } from "../../../shared/api/client.ts";
import type { Filters, Range } from "../model/filters.ts";
import type { HistoryRow, ListingKind } from "../model/row.ts";
import { readRow } from "../model/row.ts";

export type ListingSource = {
  readonly api: ApiClient;
  readonly kind: ListingKind;
  /** Where the rows come from; the settings may move it (decision D-33). */
  readonly at: URL;
};

/** What of a listing is asked for: the same for all of its pages. */
export type Wanted = Pick<Filters, "search" | "type"> & Range;
/** One page: behind a cursor of the answer before when the platform gave one, else by its number from 1. */
export type Place = { readonly page: number; readonly after?: string };
export const FIRST: Place = { page: 1 };

export type ListingPage = {
  readonly rows: readonly HistoryRow[];
  /** How many rows came, those among them that could not be read. */
  readonly sent: number;
  /** Rows that match; undefined when the platform does not say. */
  readonly total: number | undefined;
  readonly totalIsMore: boolean;
  /** The cursor behind this page; null: nothing is; undefined: the platform only knows pages. */
  readonly next: string | null | undefined;
  /** The platform does not know this listing at all (404). */
  readonly absent: boolean;
};

/** An answer in which only the list itself must be there: everything else is read as far as it can be. */
const Answer = z.object({
  rows: z.array(z.unknown()),
  total: z.optional(z.unknown()),
  totalIsMore: z.optional(z.unknown()),
  next: z.optional(z.unknown()),
});
const ABSENT: ListingPage = { rows: [], sent: 0, total: 0, totalIsMore: false, next: null, absent: true };
const CURSOR_MAX = 1_000;

/** Fetches one page. A 404 is an empty listing (decision D-33); every other failure is thrown as an `ApiError`. */
export async function fetchPage(
  { api, kind, at }: ListingSource,
  { search, type, fromMs, toMs }: Wanted,
  { page, after }: Place,
  limit: number,
  signal: AbortSignal,
): Promise<ListingPage> {
  const query = {
    page: after === undefined ? page : undefined,
    limit,
    after,
    search: search === "" ? undefined : search,
    type: kind === "transactions" ? type : undefined,
    from: isoOf(fromMs),
    to: isoOf(toMs),
  };
  const answer = await api.read(kind, { query, at, signal }, Answer);
  if (!answer.ok && answer.failure.httpStatus === 404) return ABSENT;
  const { rows, total, totalIsMore, next } = dataOf(answer);
  const isCursor = typeof next === "string" && next !== "" && next.length <= CURSOR_MAX;
  return {
    rows: rows.flatMap((given, index) => readRow(given, (page - 1) * limit + index) ?? []),
    sent: rows.length,
    total: Number.isSafeInteger(total) && (total as number) >= 0 ? (total as number) : undefined,
    totalIsMore: totalIsMore === true,
    next: isCursor || next === null ? next : undefined,
    absent: false,
  };
}

/** Cursor or number of the next page, or undefined after the last. `reached`: how many rows the pages so far stand for. */
export function placeAfter(
  { sent, total, totalIsMore, next }: ListingPage,
  { page }: Place,
  reached: number,
): Place | undefined {
  if (sent === 0 || next === null) return undefined;
  if (next !== undefined) return { page: page + 1, after: next };
  return total !== undefined && !totalIsMore && reached >= total ? undefined : { page: page + 1 };
}

const isoOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
