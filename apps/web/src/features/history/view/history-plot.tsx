import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { elapsedText } from "@longarm/ui/time/time-text.ts";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Span } from "../filters.ts";
import { SPANS, spanStart } from "../filters.ts";
import type { Freshness, ListingSource, Place } from "../listings.ts";
import { FIRST, fetchPage, placeAfter, useFresh } from "../listings.ts";
import type { BalanceLine, ResultLine } from "../plotted-line.ts";
import { balanceLine, resultLine } from "../plotted-line.ts";
import type { HistoryRow } from "../row.ts";
import { countText } from "../times.ts";
import css from "./history-plot.module.css";
import { PlotArea } from "./plot-area.tsx";

type HistoryPlotProps = {
  readonly source: ListingSource;
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
  /** The end of the plot, epoch ms. */
  readonly nowMs: number;
  readonly freshness: Freshness;
  /** The player has rows, if not in this period. */
  readonly hasRows: boolean;
  /** The player hides the balance: then the plot is hidden too. */
  readonly hidden: Live<boolean>;
};

const SPAN_TEXTS = { day: "history.day", week: "history.week", month: "history.month" } as const;

/**
 * Above transactions the balance over time, above sessions their net result, both in steps and from the rows themselves. Not there when there
 * is nothing to draw.
 */
export function HistoryPlot(props: HistoryPlotProps) {
  const { source, span, onSpan, nowMs, freshness, hasRows, hidden } = props;
  const { t } = useText();
  const isHidden = useLive(hidden);
  const fromMs = spanStart(span, nowMs);
  const plotted = usePlottedRows(source, fromMs, freshness);
  if (plotted === "failed") return null;
  const drawn = plotted && drawnOf(source.kind, plotted, fromMs);
  const isEmpty = plotted !== undefined && drawn === undefined;
  if (isEmpty && !hasRows) return null;
  return (
    <section className={css["plot"]} aria-label={t(source.kind === "sessions" ? "history.resultPlot" : "history.plot")}>
      <div className={css["head"]}>
        {!isHidden && drawn?.figures}
        <Segment
          className={css["spans"] ?? ""}
          label={t("history.plotPeriod")}
          options={SPANS.map((value) => ({ value, label: t(SPAN_TEXTS[value]) }))}
          value={span}
          onChange={onSpan}
        />
      </div>
      {isHidden && <p className={css["note"]}>{t("history.plotHidden")}</p>}
      {!isHidden && isEmpty && <p className={css["note"]}>{t("history.plotEmpty")}</p>}
      {!isHidden && drawn && <PlotArea line={drawn.line} of={drawn.of} fromMs={fromMs} nowMs={nowMs} />}
      {!isHidden && plotted === undefined && <div className={css["skeleton"]} />}
    </section>
  );
}

/** The line of a listing and the figures beside it; those that need every row only where every row is there. */
function drawnOf(kind: ListingSource["kind"], { rows, isWhole }: PlottedRows, fromMs: number) {
  if (kind === "sessions") {
    const line = resultLine(rows, fromMs);
    return line && { line, of: "result" as const, figures: <ResultFigures line={line} isWhole={isWhole} /> };
  }
  const line = balanceLine(rows, fromMs);
  return line && { line, of: "balance" as const, figures: <BalanceFigures line={line} isWhole={isWhole} /> };
}

function BalanceFigures({ line, isWhole }: { line: BalanceLine; isWhole: boolean }) {
  const { t } = useText();
  return (
    <>
      <Figure name={t("history.balance")}>
        <Money minor={line.now} />
      </Figure>
      {isWhole && (
        <>
          <Figure name={t("history.gained")}>
            <Money minor={line.gained} />
          </Figure>
          <Figure name={t("history.given")}>
            <Money minor={line.given} />
          </Figure>
        </>
      )}
    </>
  );
}

function ResultFigures({ line, isWhole }: { line: ResultLine; isWhole: boolean }) {
  const { t, language } = useText();
  if (!isWhole) return null;
  return (
    <>
      <Figure name={t("history.netResult")}>
        <Money minor={line.now} signed tone={line.now > 0 ? "money" : "ink"} />
      </Figure>
      <Figure name={t("history.duration")}>
        <bdi className="num">{elapsedText(line.played * 1_000)}</bdi>
      </Figure>
      <Figure name={t("history.spins")}>
        <bdi className="num">{countText(line.spins, language)}</bdi>
      </Figure>
    </>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <span className="plate">{name}</span>
      <span className={css["figure"]}>{children}</span>
    </div>
  );
}

const PAGE_SIZE = 500;
/** A player with more rows sees the newest ones. */
const PAGES_MAX = 4;

type PlottedRows = {
  readonly rows: readonly HistoryRow[];
  /** They are all that there are since then. */
  readonly isWhole: boolean;
};

/** The rows since an instant, whatever the listing below is filtered by. Undefined until they are there; a failure leaves the plot away. */
function usePlottedRows(
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
