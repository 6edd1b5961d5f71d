import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { useText } from "../../shared/i18n/use-text.ts";
import type { ListingPage, ListingSource, Place, Wanted } from "./api/listing.ts";
import { FIRST, fetchPage, placeAfter } from "./api/listing.ts";
import type { Filters } from "./model/filters.ts";
import { passes } from "./model/passes.ts";
import type { HistoryRow } from "./model/row.ts";
import type { Freshness } from "./use-fresh.ts";
import { useFresh } from "./use-fresh.ts";

export type Listing = {
  /** Undefined: nothing came yet. */
  readonly rows: readonly HistoryRow[] | undefined;
  /** How many rows match, and whether there are even more; undefined when nobody knows. */
  readonly total: number | undefined;
  readonly totalIsMore: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** The rows are those of the filters before. */
  readonly isOld: boolean;
  /** The platform has no such listing. */
  readonly absent: boolean;
  /** Why the first page, or the next one, could not be had. */
  readonly failure: string | undefined;
  loadMore(): void;
  retry(): void;
};

type Pages = { readonly pages: readonly ListingPage[] };

/** The rows of a listing, page after page. */
export function useListing(source: ListingSource, wanted: Wanted, filters: Filters, freshness: Freshness): Listing {
  const speech = useText();
  const { size } = filters;
  const query = useInfiniteQuery({
    queryKey: ["history", source.kind, wanted, size],
    queryFn: ({ pageParam, signal }) => fetchPage(source, wanted, pageParam, size, signal),
    initialPageParam: FIRST,
    getNextPageParam: (last: ListingPage, all, place: Place) => placeAfter(last, place, all.length * size),
    placeholderData: keepPreviousData,
    // Many pages are asked again one by one: not with every look at the tab.
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  });
  useFresh(freshness, query.refetch);

  const read = query.data === undefined ? undefined : readPages(query.data, size);
  const rows = read?.rows.filter((row) => passes(row, filters, speech));
  const isWhole = rows?.length === read?.rows.length;
  return {
    rows,
    total: isWhole ? read?.total : undefined,
    totalIsMore: read?.totalIsMore ?? false,
    hasMore: query.hasNextPage && !query.isPlaceholderData,
    isLoadingMore: query.isFetchingNextPage,
    isOld: query.isPlaceholderData,
    absent: query.data?.pages[0]?.absent ?? false,
    failure: query.error instanceof ApiError ? failureText(speech, query.error.failure) : undefined,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void (read === undefined || !query.isFetchNextPageError ? query.refetch() : query.fetchNextPage()),
  };
}

/** All pages as one list. A row stands once, also when new ones pushed it from page to page, and no page is longer than was asked for. */
function readPages({ pages }: Pages, size: number) {
  const byId = new Map(pages.flatMap(({ rows }) => rows).map((row) => [row.id, row]));
  const last = pages.at(-1);
  return {
    rows: [...byId.values()].slice(0, pages.length * size),
    total: last?.total,
    totalIsMore: last?.totalIsMore ?? false,
  };
}
