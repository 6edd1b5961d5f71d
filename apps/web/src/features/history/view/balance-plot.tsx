import { useText } from "../../../shared/i18n/use-text.ts";
import type { Live } from "../../../shared/live/live.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Money } from "../../../shared/money/money.tsx";
import { Segment } from "../../../shared/ui/segment.tsx";
import type { ListingSource } from "../api/listing.ts";
import type { Span } from "../model/filters.ts";
import { SPANS, spanStart } from "../model/filters.ts";
import { balanceLine } from "../model/steps.ts";
import type { Freshness } from "../use-fresh.ts";
import { usePlottedRows } from "../use-plotted-rows.ts";
import css from "./balance-plot.module.css";
import { PlotArea } from "./plot-area.tsx";

type BalancePlotProps = {
  readonly source: ListingSource;
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
  /** The end of the plot, epoch ms. */
  readonly nowMs: number;
  readonly freshness: Freshness;
  /** The player has transactions, if not in this period. */
  readonly hasRows: boolean;
  /** The player hides the balance: then the plot is hidden too. */
  readonly hidden: Live<boolean>;
};

const SPAN_TEXTS = { day: "history.day", week: "history.week", month: "history.month" } as const;

/** The balance over time, in steps, from the transactions themselves. Not there when fewer than two tell it. */
export function BalancePlot({ source, span, onSpan, nowMs, freshness, hasRows, hidden }: BalancePlotProps) {
  const { t } = useText();
  const isHidden = useLive(hidden);
  const fromMs = spanStart(span, nowMs);
  const plotted = usePlottedRows(source, fromMs, freshness);
  if (plotted === "failed") return null;
  const line = plotted && balanceLine(plotted.rows, fromMs);
  const isEmpty = plotted !== undefined && line === undefined;
  if (isEmpty && !hasRows) return null;
  const figures = line && [
    { name: t("history.balance"), minor: line.now },
    ...(plotted?.isWhole
      ? [
          { name: t("history.gained"), minor: line.gained },
          { name: t("history.given"), minor: line.given },
        ]
      : []),
  ];
  return (
    <section className={css["plot"]} aria-label={t("history.plot")}>
      <div className={css["head"]}>
        {!isHidden &&
          figures?.map(({ name, minor }) => (
            <div key={name}>
              <span className="plate">{name}</span>
              <Money minor={minor} className={css["figure"] ?? ""} />
            </div>
          ))}
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
      {!isHidden && line && <PlotArea line={line} span={span} fromMs={fromMs} nowMs={nowMs} />}
      {!isHidden && plotted === undefined && <div className={css["skeleton"]} />}
    </section>
  );
}
