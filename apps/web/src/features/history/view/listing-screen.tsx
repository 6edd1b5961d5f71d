import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { SMALL, useMedia } from "@longarm/ui/use-media.ts";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../../shared/api/failure.ts";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import { saveFile } from "../../../shared/storage/save-file.ts";
import type { ChosenColumns } from "../columns.ts";
import type { Download, DownloadState } from "../download.ts";
import { createDownload, filePlan } from "../download.ts";
import type { Filters, PageSize } from "../filters.ts";
import { filterWords, isFiltered, NO_FILTERS, PAGE_SIZES, passes, rangeOf } from "../filters.ts";
import type { Freshness, ListingPage, ListingSource, Place, Wanted } from "../listings.ts";
import { FIRST, fetchPage, placeAfter, useFresh } from "../listings.ts";
import type { HistoryRow, ListingKind } from "../row.ts";
import { searchWord } from "../row.ts";
import { countText } from "../times.ts";
import type { OnFilters } from "./filter-bar.tsx";
import { ChipSelect, FilterBar } from "./filter-bar.tsx";
import { HistoryPlot } from "./history-plot.tsx";
import css from "./listing-screen.module.css";
import { RowsList, RowsTable, WIDE_FROM } from "./rows.tsx";
import { SessionSheet } from "./session-sheet.tsx";

type ListingScreenProps = {
  readonly title: string;
  readonly source: ListingSource;
  readonly columns: ChosenColumns;
  readonly filters: Filters;
  readonly onFilters: OnFilters;
  /** The play session that the address names. */
  readonly session: string | undefined;
  readonly clock: { now(): number };
  readonly freshness: Freshness;
  /** The player hides the balance. */
  readonly hidden: Live<boolean>;
};

/** All ten columns side by side need at least this window. */
const ROOMY = "(min-width: 84rem)";

/** One of the two listings: filters, rows, the next rows, the file of all of them; above them their plot. */
export function ListingScreen(props: ListingScreenProps) {
  const { title, source, columns, filters, onFilters, clock, freshness, hidden } = props;
  const speech = useText();
  const currency = useCurrency();
  const [nowMs] = useState(() => clock.now());
  const [download] = useState(() => createDownload(saveFile));
  useEffect(() => download.cancel, [download]);
  const shown = useLive(columns.shown);
  const isDownloading = useLive(download.state, ({ is }) => is !== "idle");
  const wanted: Wanted = {
    search: searchWord(filters.search.trim(), speech),
    type: filters.type,
    ...rangeOf(filters, nowMs),
  };
  const listing = useListing(source, wanted, filters, freshness);
  const rows = listing.rows ?? [];
  const [frame, wantFirstNew] = useFocusOnFirstNew(rows.length);
  const isSmall = useMedia(SMALL);
  const isRoomy = useMedia(ROOMY);
  const Rows = isSmall || (shown.length >= WIDE_FROM && !isRoomy) ? RowsList : RowsTable;
  const isLoading = listing.rows === undefined || (listing.isOld && rows.length === 0);

  return (
    <>
      <HistoryPlot
        {...{ source, nowMs, freshness, hidden }}
        hasRows={rows.length > 1}
        span={filters.span}
        onSpan={(span) => onFilters({ ...filters, span }, { replace: true })}
      />
      <FilterBar
        {...{ kind: source.kind, filters, columns, onFilters, isDownloading }}
        onDownload={() =>
          download.start(filePlan({ source, wanted, filters, columns: shown, nowMs, currency, speech }))
        }
      />
      <DownloadStrip download={download} />
      {listing.rows === undefined && listing.failure !== undefined && (
        <Failed reason={listing.failure} onRetry={listing.retry} />
      )}
      {isLoading && listing.failure === undefined && <Skeleton />}
      {source.kind === "sessions" && <SessionSheet source={source} id={props.session} rows={rows} />}
      {listing.absent && <Absent />}
      {!isLoading && !listing.absent && rows.length === 0 && !listing.hasMore && (
        <Empty kind={source.kind} filters={filters} onFilters={onFilters} />
      )}
      {!listing.absent && listing.rows !== undefined && !isLoading && (
        <div ref={frame} className={css["rows"]} data-old={listing.isOld || undefined} aria-busy={listing.isOld}>
          {rows.length > 0 && <Rows kind={source.kind} title={title} columns={shown} rows={rows} />}
          {(rows.length > 0 || listing.hasMore) && (
            <ListingFoot
              listing={listing}
              shown={rows.length}
              size={filters.size}
              onSize={(size) => onFilters({ ...filters, size }, { replace: true })}
              onMore={() => {
                wantFirstNew();
                listing.loadMore();
              }}
            />
          )}
        </div>
      )}
    </>
  );
}

/** After "load more" the focus goes to the first row that came, so that keyboard and screen reader go on from there. */
function useFocusOnFirstNew(count: number) {
  const frame = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | undefined>(undefined);
  useEffect(() => {
    const first = wanted.current;
    if (first === undefined || count <= first) return;
    wanted.current = undefined;
    frame.current?.querySelector<HTMLElement>(`[data-row="${first}"]`)?.focus();
  }, [count]);
  const want = () => {
    wanted.current = count;
  };
  return [frame, want] as const;
}

type ListingFootProps = {
  readonly listing: Listing;
  readonly shown: number;
  readonly size: PageSize;
  readonly onSize: (size: PageSize) => void;
  readonly onMore: () => void;
};

/** Rows a page, the next page, and how far one has come. */
function ListingFoot({ listing, shown, size, onSize, onMore }: ListingFootProps) {
  const { t, language } = useText();
  const { total, totalIsMore, hasMore, isLoadingMore, failure } = listing;
  const counts = { shown: countText(shown, language), total: countText(Math.max(total ?? 0, shown), language) };
  const place = totalIsMore ? t("history.shownOfMore", counts) : t("history.shownOf", counts);
  return (
    <div className={css["foot"]}>
      <span className={css["size"]}>
        <span aria-hidden="true">{t("history.perPage")}</span>
        <ChipSelect
          label={t("history.perPage")}
          value={String(size)}
          options={PAGE_SIZES.map((value) => ({ value: String(value), label: String(value) }))}
          onChange={(value) => onSize(PAGE_SIZES.find((one) => String(one) === value) ?? size)}
        />
      </span>
      {failure !== undefined && (
        <p role="alert" className={css["bad"]}>
          {t("history.moreFailed")} {failure}{" "}
          <Key kind="line" onClick={listing.retry}>
            {t("app.tryAgain")}
          </Key>
        </p>
      )}
      {failure === undefined && hasMore && (
        <Key busy={isLoadingMore} onClick={onMore}>
          {t("history.loadMore")}
        </Key>
      )}
      <span role="status" className="num">
        {total === undefined ? t("history.shown", counts) : place}
      </span>
    </div>
  );
}

const SKELETON_ROWS = [1, 2, 3, 4, 5, 6, 7, 8];

/** The shape of the rows before they come. */
function Skeleton() {
  const { t } = useText();
  return (
    <div role="status" className={css["skeleton"]}>
      <span className="visually-hidden">{t("history.loading")}</span>
      {SKELETON_ROWS.map((row) => (
        <span key={row} aria-hidden="true" />
      ))}
    </div>
  );
}

/** The platform has no such listing (decision D-33). */
function Absent() {
  const { t } = useText();
  return (
    <div role="status">
      <Notice title={t("history.absent")} body={t("history.absentBody")} />
    </div>
  );
}

function Failed({ reason, onRetry }: { readonly reason: string; readonly onRetry: () => void }) {
  const { t } = useText();
  return (
    <div role="alert">
      <Notice title={t("history.failed")} body={reason}>
        <Key onClick={onRetry}>{t("app.tryAgain")}</Key>
      </Notice>
    </div>
  );
}

type EmptyProps = { readonly kind: ListingKind; readonly filters: Filters; readonly onFilters: OnFilters };

/** No rows: what was searched and which filters are on, and one key that takes them all away. */
function Empty({ kind, filters, onFilters }: EmptyProps) {
  const speech = useText();
  const { t } = speech;
  if (!isFiltered(filters)) {
    const title = t(kind === "sessions" ? "history.noRowsSessions" : "history.noRowsTransactions");
    return (
      <div role="status">
        <Notice title={title} body={t("history.noRowsBody")} />
      </div>
    );
  }
  const words = filterWords(filters, speech);
  const search = filters.search === "" ? [] : [t("history.searched", { search: filters.search })];
  const on = words.length === 0 ? [] : [t("history.filtersOn", { filters: words.join(", ") })];
  const { size, span } = filters;
  return (
    <div role="status">
      <Notice title={t("history.noMatch")} body={[...search, ...on].join(" ")}>
        <Key onClick={() => onFilters({ ...NO_FILTERS, size, span })}>{t("history.clearFilters")}</Key>
      </Notice>
    </div>
  );
}

type Listing = {
  /** Undefined: nothing came yet. */
  readonly rows: readonly HistoryRow[] | undefined;
  /** How many rows match, and whether there are even more; undefined when that is not known. */
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
function useListing(source: ListingSource, wanted: Wanted, filters: Filters, freshness: Freshness): Listing {
  const speech = useText();
  const { size } = filters;
  const query = useInfiniteQuery({
    queryKey: ["history", source.kind, wanted, size],
    queryFn: ({ pageParam, signal }) => fetchPage(source, wanted, pageParam, size, signal),
    initialPageParam: FIRST,
    getNextPageParam: (last: ListingPage, all, place: Place) => placeAfter(last, place, all.length * size),
    placeholderData: keepPreviousData,
    // Many pages are fetched again one by one: not each time the tab is shown.
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

/** All pages as one list. A row is there once, also when new ones pushed it from page to page, and no page is longer than requested. */
function readPages({ pages }: Pages, size: number) {
  const byId = new Map(pages.flatMap(({ rows }) => rows).map((row) => [row.id, row]));
  const last = pages.at(-1);
  return {
    rows: [...byId.values()].slice(0, pages.length * size),
    total: last?.total,
    totalIsMore: last?.totalIsMore ?? false,
  };
}

/** How far the file is, and how to stop it or go on after a failure. */
function DownloadStrip({ download }: { readonly download: Download }) {
  const speech = useText();
  const state = useLive(download.state);
  const { t } = speech;
  return (
    <div role="status" className={css["status"]}>
      {state.is === "running" && (
        <div className={css["strip"]}>
          <span>{t("history.downloading")}</span>
          <progress
            aria-label={t("history.downloading")}
            value={state.total ? state.rows : undefined}
            max={state.total}
          />
          <span className="num">
            <RowsSoFar state={state} />
          </span>
          <Key kind="bare" onClick={download.cancel}>
            {t("history.cancel")}
          </Key>
        </div>
      )}
      {state.is === "failed" && (
        <div className={css["strip"]} data-failed>
          <span>
            {t("history.downloadFailed", { rows: countText(state.rows, speech.language) })}{" "}
            {failureText(speech, state.failure)}
          </span>
          <Key kind="line" onClick={download.retry}>
            {t("history.goOn")}
          </Key>
          <Key kind="bare" onClick={download.cancel}>
            {t("history.cancel")}
          </Key>
        </div>
      )}
    </div>
  );
}

function RowsSoFar({ state: { rows, total } }: { readonly state: Extract<DownloadState, { is: "running" }> }) {
  const { t, language } = useText();
  const so = countText(rows, language);
  if (total === undefined || total < rows) return t("history.downloaded", { rows: so });
  return t("history.downloadedOf", { rows: so, total: countText(total, language) });
}
