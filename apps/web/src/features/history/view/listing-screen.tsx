import { useEffect, useRef, useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import type { Live } from "../../../shared/live/live.ts";
import { useLive } from "../../../shared/live/live.ts";
import { useCurrency } from "../../../shared/money/currency.ts";
import { SMALL, useMedia } from "../../../shared/ui/use-media.ts";
import type { ListingSource, Wanted } from "../api/listing.ts";
import { saveFile } from "../browser/save-file.ts";
import type { ChosenColumns } from "../model/columns.ts";
import { createDownload } from "../model/download.ts";
import { filePlan } from "../model/file-plan.ts";
import type { Filters } from "../model/filters.ts";
import { rangeOf } from "../model/filters.ts";
import { searchWord } from "../model/words.ts";
import type { Freshness } from "../use-fresh.ts";
import { useListing } from "../use-listing.ts";
import { DownloadStrip } from "./download-strip.tsx";
import type { OnFilters } from "./filter-bar.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { HistoryPlot } from "./history-plot.tsx";
import { ListingFoot } from "./listing-foot.tsx";
import css from "./listing-screen.module.css";
import { Absent, Empty, Failed, Skeleton } from "./listing-states.tsx";
import { RowsList } from "./rows-list.tsx";
import { RowsTable, WIDE_FROM } from "./rows-table.tsx";
import { SessionSheet } from "./session-sheet.tsx";

export type ListingScreenProps = {
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
