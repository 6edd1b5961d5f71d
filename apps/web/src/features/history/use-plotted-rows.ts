import { useQuery } from "@tanstack/react-query";
import type { ListingSource, Place } from "./api/listing.ts";
import { FIRST, fetchPage, placeAfter } from "./api/listing.ts";
import type { HistoryRow } from "./model/row.ts";
import type { Freshness } from "./use-fresh.ts";
import { useFresh } from "./use-fresh.ts";

const PAGE_SIZE = 500;
/** A player with more rows sees the newest ones. */
const PAGES_MAX = 4;

export type PlottedRows = {
  readonly rows: readonly HistoryRow[];
  /** They are all that there are since then. */
  readonly isWhole: boolean;
};

/** The rows since an instant, whatever the listing below is filtered by. Undefined until they are there; a failure leaves the plot away. */
export function usePlottedRows(
  source: ListingSource,
  fromMs: number,
  freshness: Freshness,
): PlottedRows | undefined | "failed" {
  const query = useQuery({
    queryKey: ["history", "plot", source.kind, fromMs],
    queryFn: ({ signal }) => fetchSince(source, fromMs, signal),
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  });
  useFresh(freshness, query.refetch);
  return query.data ?? (query.isError ? "failed" : undefined);
}

async function fetchSince(source: ListingSource, fromMs: number, signal: AbortSignal): Promise<PlottedRows> {
  const byId = new Map<string, HistoryRow>();
  let place: Place | undefined = FIRST;
  while (place !== undefined && place.page <= PAGES_MAX) {
    const page = await fetchPage(source, { search: "", type: undefined, fromMs }, place, PAGE_SIZE, signal);
    const before = byId.size;
    for (const row of page.rows) byId.set(row.id, row);
    place = byId.size === before ? undefined : placeAfter(page, place, byId.size);
  }
  return { rows: [...byId.values()], isWhole: place === undefined };
}
