import type { Live } from "@longarm/ui/live.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import * as z from "zod/mini";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";
import type { WalletNow } from "../../shared/play-deps.ts";
import type { Filters, Range } from "./filters.ts";
import type { HistoryRow, ListingKind } from "./row.ts";
import { readRow } from "./row.ts";

export type ListingSource = {
  readonly api: ApiClient;
  readonly kind: ListingKind;
  /** Where the rows come from; the settings may move it (decision D-33). */
  readonly at: URL;
};

/** The request of a listing: the same for all of its pages. */
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

/** Cursor or number of the next page, or undefined after the last. `reached`: the number of rows of the pages so far. */
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

export type SessionDetail = {
  readonly session: HistoryRow;
  /** Minor units; undefined where the platform does not say. */
  readonly wagered: number | undefined;
  readonly won: number | undefined;
  readonly cashedIn: number | undefined;
  readonly cashedOut: number | undefined;
  readonly transfers: readonly HistoryRow[];
  readonly transfersAreMore: boolean;
};
/** `missing`: the player has no such session, or the platform serves no single one. */
type SessionAnswer = { readonly is: "found"; readonly detail: SessionDetail } | { readonly is: "missing" };

/** Only the session itself must be there: everything else is read as far as it can be. */
const OneSession = z.object({
  session: z.unknown(),
  wagered: z.optional(z.unknown()),
  won: z.optional(z.unknown()),
  cashed_in: z.optional(z.unknown()),
  cashed_out: z.optional(z.unknown()),
  transfers: z.optional(z.unknown()),
  transfersAreMore: z.optional(z.unknown()),
});

/** More transfers than this are not drawn, whatever a platform sends. */
const TRANSFERS_MAX = 200;

/** One play session. Undefined: none is wanted, or it is on its way. A failure counts as missing: the list's row is shown. */
export function useSession(source: ListingSource, id: string | undefined): SessionAnswer | undefined {
  const query = useQuery({
    queryKey: ["history", "session", id],
    queryFn: ({ signal }) => fetchSession(source, id ?? "", signal),
    enabled: id !== undefined,
    staleTime: 10_000,
    refetchOnWindowFocus: false,
  });
  if (query.isError) return { is: "missing" };
  return query.data;
}

async function fetchSession({ api, at }: ListingSource, id: string, signal: AbortSignal): Promise<SessionAnswer> {
  // Browsers take these for folders.
  if (/^\.{1,2}$/.test(id)) return { is: "missing" };
  const own = new URL(at);
  own.pathname = `${own.pathname.replace(/\/$/, "")}/${encodeURIComponent(id)}`;
  const answer = await api.read("session", { at: own, signal }, OneSession);
  if (!answer.ok && answer.failure.httpStatus === 404) return { is: "missing" };
  const { session, wagered, won, cashed_in, cashed_out, transfers, transfersAreMore } = dataOf(answer);
  const row = readRow(session, 0);
  if (row === undefined) return { is: "missing" };
  const moved = Array.isArray(transfers) ? transfers.slice(0, TRANSFERS_MAX) : [];
  return {
    is: "found",
    detail: {
      session: row,
      wagered: amountIn(wagered),
      won: amountIn(won),
      cashedIn: amountIn(cashed_in),
      cashedOut: amountIn(cashed_out),
      transfers: moved.flatMap((given, place) => readRow(given, place) ?? []),
      transfersAreMore: transfersAreMore === true || (Array.isArray(transfers) && transfers.length > TRANSFERS_MAX),
    },
  };
}

const amountIn = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

/** The sign that rows may have been added. */
export type Freshness = {
  /** A balance that changed has a transaction behind it. */
  readonly wallet: Live<WalletNow>;
};

/** Fetches again when there may be more to see. */
export function useFresh({ wallet }: Freshness, refetch: () => unknown): void {
  useEffect(
    () => wallet.subscribe((now, was) => void (was !== undefined && now?.balance !== was.balance && refetch())),
    [wallet, refetch],
  );
}
