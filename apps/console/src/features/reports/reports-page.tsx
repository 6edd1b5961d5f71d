import type { ReportGroup, ReportRow } from "@longarm/contract/staff-reports";
import { REPORT_GROUPS } from "@longarm/contract/staff-reports";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton, keyClass } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Segment } from "@longarm/ui/segment.tsx";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf, Given } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { clockText } from "../../shared/times.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel } from "../../shared/ui/panel.tsx";
import { Columns, HeatMap } from "./charts.tsx";
import { FigureRows } from "./figure-rows.tsx";
import { Paytables } from "./paytables.tsx";
import type { Period, View } from "./period.ts";
import {
  businessDay,
  dateText,
  dayNumber,
  daysOf,
  longMonth,
  monthText,
  PERIODS,
  periodText,
  searchOf,
  shifted,
  stepsOf,
  viewOf,
  weekdayName,
  weekdayText,
} from "./period.ts";
import { Providers } from "./providers.tsx";
import { ReportTable } from "./report-table.tsx";
import css from "./reports.module.css";
import { Shifts } from "./shifts.tsx";
import { Totals } from "./totals.tsx";
import { useFigures } from "./use-figures.ts";

type Report = AnswerOf<"report">;

/** How often a report is read again while it is looked at, ms. */
const AGAIN_MS = 60_000;

/** A report that stays while the next one is read. */
function useReport<Name extends "report" | "reportHours">(name: Name, query: Given<Name>["query"]) {
  const { api } = useConsole();
  return useQuery({
    queryKey: [name, {}, query ?? {}],
    queryFn: () => api.call(name, { query } as Given<Name>),
    refetchInterval: AGAIN_MS,
    placeholderData: keepPreviousData,
  });
}

/** What was played, paid and moved in a period. Who enters paytable sheets and sees no figures gets the sheets alone. */
export function ReportsPage() {
  const maySee = useMay("report.see");
  const { t } = useText();
  if (maySee) return <Figures />;
  return (
    <Page title={t("app.reports")}>
      <Paytables />
    </Page>
  );
}

function useView(): readonly [View, (part: Partial<View>) => void] {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const view = viewOf(search);
  return [
    view,
    (part) => void navigate({ to: paths.reports, search: searchOf({ ...view, ...part }) as never, resetScroll: false }),
  ];
}

function Figures() {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const [view, change] = useView();
  const [opened, setOpened] = useState<ReportRow>();
  const today = businessDay(clock.now(), venue.timeZone, venue.dayBeginsMinutes);
  const day = view.day ?? today;
  const days = daysOf(view.period, day);
  const filter = {
    ...(view.brand !== undefined && { brand: view.brand }),
    ...(view.denomination !== undefined && { denomination: view.denomination }),
  };
  const report = useReport("report", { ...days, ...filter, by: view.by });
  const sampleUntil = report.data?.sampleUntil ?? null;
  const isRunning = days.from <= today && days.to >= today;
  const nameOf = useRowNames(view.by);
  return (
    <Page title={t("app.reports")} about={periodText(days, language)}>
      <Tools view={view} day={day} today={today} days={days} change={change} report={report.data} />
      <p className={css["until"]}>
        {report.data !== undefined && isRunning
          ? t("reports.until", { time: clockText(Date.parse(report.data.asOf), venue.timeZone) })
          : t("reports.whole", { period: periodText(days, language) })}
      </p>
      {sampleUntil !== null && sampleUntil >= days.from && (
        <p className={css["until"]}>{t("reports.sample", { day: dateText(sampleUntil, language) })}</p>
      )}
      <Loaded of={report}>
        {(data) => (
          <Totals report={data} byMachine={() => change({ by: "machine" })} stale={report.isPlaceholderData} />
        )}
      </Loaded>
      <div className={css["charts"]}>
        <Played days={days} filter={filter} period={view.period} today={today} />
        <Seated days={days} filter={filter} />
      </div>
      <Panel title={t(`reports.table_${view.by}`)} about={t("reports.tableAbout")}>
        <Loaded of={report}>
          {(data) =>
            data.rows.length === 0 ? (
              <Empty icon="search" title={t("reports.none")} body={t("reports.noneAbout")} />
            ) : (
              <ReportTable report={data} filter={filter} nameOf={nameOf} open={setOpened} />
            )
          }
        </Loaded>
      </Panel>
      <Providers days={days} />
      <Shifts days={days} />
      <Paytables />
      <FigureRows row={opened} days={days} onClose={() => setOpened(undefined)} />
    </Page>
  );
}

/** The names of rows in the page's language. */
function useRowNames(by: ReportGroup): (row: ReportRow) => string {
  const { language } = useText();
  const currency = useCurrency();
  return ({ key, name }) => {
    if (by === "day") return dateText(key, language);
    if (by === "month") return longMonth(key, language);
    if (by === "denomination") return moneyText(Number(key), currency, language);
    return name;
  };
}

type ToolsProps = {
  readonly view: View;
  readonly day: string;
  readonly today: string;
  readonly days: { readonly from: string; readonly to: string };
  readonly change: (part: Partial<View>) => void;
  readonly report: Report | undefined;
};

function Tools({ view, day, today, days, change, report }: ToolsProps) {
  const { t, language } = useText();
  const currency = useCurrency();
  const next = shifted(view.period, day, 1);
  const isLast = daysOf(view.period, next).from > today;
  const move = (to: string) => change({ day: to >= today ? undefined : to });
  const fileOf = (format: "csv" | "pdf") =>
    `/staff/v1/reports/file?${new URLSearchParams({
      ...{ from: days.from, to: days.to, by: view.by, format, language },
      ...(view.brand !== undefined && { brand: view.brand }),
      ...(view.denomination !== undefined && { denomination: String(view.denomination) }),
    })}`;
  return (
    <div className={css["tools"]}>
      <Segment<Period>
        label={t("reports.period")}
        value={view.period}
        onChange={(period) => change({ period })}
        options={PERIODS.map((value) => ({ value, label: t(`reports.period_${value}`) }))}
      />
      <div className={css["steps"]}>
        <IconButton
          icon="back"
          kind="line"
          label={t("reports.before")}
          onClick={() => move(shifted(view.period, day, -1))}
        />
        <IconButton
          icon="back"
          kind="line"
          label={t("reports.after")}
          className={css["turned"] ?? ""}
          disabled={isLast}
          onClick={() => move(next)}
        />
        <label className={css["choice"]}>
          <span className="visually-hidden">{t("reports.dayField")}</span>
          <input
            type="date"
            value={day}
            max={today}
            onChange={({ target }) => target.value !== "" && move(target.value)}
          />
        </label>
      </div>
      <label className={css["choice"]}>
        <span className="visually-hidden">{t("reports.brand")}</span>
        <select value={view.brand ?? ""} onChange={({ target }) => change({ brand: target.value || undefined })}>
          <option value="">{t("reports.allBrands")}</option>
          {[...new Set([...(report?.brands ?? []), ...(view.brand === undefined ? [] : [view.brand])])].map((brand) => (
            <option key={brand}>{brand}</option>
          ))}
        </select>
      </label>
      {((report?.denominations.length ?? 0) > 1 || view.denomination !== undefined) && (
        <label className={css["choice"]}>
          <span className="visually-hidden">{t("reports.denomination")}</span>
          <select
            value={view.denomination ?? ""}
            onChange={({ target }) => change({ denomination: target.value === "" ? undefined : Number(target.value) })}
          >
            <option value="">{t("reports.allDenominations")}</option>
            {report?.denominations.map((denomination) => (
              <option key={denomination} value={denomination}>
                {moneyText(denomination, currency, language)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label className={css["choice"]}>
        <span className={css["lead"]}>{t("reports.by")}</span>
        <select value={view.by} onChange={({ target }) => change({ by: target.value as ReportGroup })}>
          {REPORT_GROUPS.map((by) => (
            <option key={by} value={by}>
              {t(`reports.by_${by}`)}
            </option>
          ))}
        </select>
      </label>
      <div className={css["files"]}>
        <a className={keyClass({ kind: "line" })} href={fileOf("csv")} download>
          <Icon name="download" />
          {t("reports.csv")}
        </a>
        <a className={keyClass({ kind: "brass" })} href={fileOf("pdf")} download>
          <Icon name="download" />
          {t("reports.pdf")}
        </a>
      </div>
    </div>
  );
}

type ChartProps = {
  readonly days: { readonly from: string; readonly to: string };
  readonly filter: { readonly brand?: string; readonly denomination?: number };
};

/** Coin in by day; of a year by month; of one day beside the six days before it. */
function Played({ days, filter, period, today }: ChartProps & { readonly period: Period; readonly today: string }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { count } = useFigures();
  const step = period === "year" ? "month" : "day";
  const shownDays = period === "day" ? daysOf("week", days.to) : days;
  const report = useReport("report", { ...shownDays, ...filter, by: step });
  return (
    <Loaded of={report}>
      {(data) => {
        const values = new Map(data.rows.map(({ key, figures }) => [key, figures.wagered]));
        const points = stepsOf(data.from, data.to, step).map((key) => {
          const minor = values.get(key) ?? 0;
          const few = step === "day" && data.to <= shifted("week", data.from, 1);
          const dayName = few ? weekdayText(key, language) : dayNumber(key);
          const name = step === "month" ? monthText(key, language) : dayName;
          return {
            key,
            name,
            value: minor / 100,
            text: moneyText(minor, currency, language),
            isNow: today.startsWith(key),
          };
        });
        const all = points.map(({ value }) => value);
        const written = (units: number) => moneyText(Math.round(units * 100), currency, language, true);
        return (
          <Columns
            title={t(`reports.chart_${step}`)}
            about={currency}
            sentence={t("reports.chartSentence", {
              chart: t(`reports.chart_${step}`),
              low: written(Math.min(...all)),
              high: written(Math.max(...all)),
            })}
            nameHead={t(`reports.by_${step}`)}
            valueHead={t("reports.col_played")}
            points={points}
            tick={(value) => (value >= 10_000 ? t("reports.thousand", { number: count(value / 1_000) }) : count(value))}
          />
        );
      }}
    </Loaded>
  );
}

/** When seats were taken. A day begins with the hour of the venue's business day. */
function Seated({ days, filter }: ChartProps) {
  const { t, language } = useText();
  const { venue } = useMe();
  const { share } = useFigures();
  const report = useReport("reportHours", { ...days, ...filter });
  return (
    <Loaded of={report}>
      {({ cells, to }) => {
        const first = Math.floor(venue.dayBeginsMinutes / 60);
        const hours = Array.from({ length: 24 }, (_, at) => (first + at) % 24);
        const found = new Map(cells.map((cell) => [`${cell.weekday} ${cell.hour}`, cell]));
        // The last row is the day with which the period ends.
        const last = new Date(`${to}T00:00:00Z`).getUTCDay() || 7;
        const rows = Array.from({ length: 7 }, (_, at) => ((last + at) % 7) + 1).map((weekday) => ({
          key: weekday,
          name: weekdayName(weekday, language),
          shares: hours.map((hour) => {
            const cell = found.get(`${weekday} ${hour}`);
            return cell === undefined || cell.availableMs === 0 ? null : Math.min(1, cell.seatedMs / cell.availableMs);
          }),
        }));
        const known = rows.flatMap(({ name, shares }) =>
          shares.flatMap((value, at) => (value === null ? [] : [{ name, hour: hours[at] ?? 0, value }])),
        );
        const fullest = known.toSorted((one, other) => other.value - one.value)[0];
        return (
          <HeatMap
            title={t("reports.heat")}
            scale={t("reports.heatScale")}
            nameHead={t("reports.weekday")}
            sentence={
              fullest === undefined
                ? t("reports.heatNone")
                : t("reports.heatSentence", {
                    day: fullest.name,
                    hour: String(fullest.hour).padStart(2, "0"),
                    share: share(fullest.value, 1),
                  })
            }
            hours={hours}
            rows={rows}
            percent={(value) => share(value, 1)}
          />
        );
      }}
    </Loaded>
  );
}
