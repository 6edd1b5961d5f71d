import type { ReportFigures, ReportRow } from "@longarm/contract/staff-reports";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import type { ReactNode } from "react";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { Loaded, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import css from "./reports.module.css";
import { useFigures } from "./use-figures.ts";

type Report = AnswerOf<"report">;
type Filter = { readonly brand?: string; readonly denomination?: number };

/** The rows of a report with their total. A row of machines opens to them, a machine to what its figures are made of. */
export function ReportTable(props: {
  readonly report: Report;
  readonly filter: Filter;
  readonly nameOf: (row: ReportRow) => string;
  /** Shows what a row is made of; absent: of its groups only machines are. */
  readonly open: (row: ReportRow) => void;
}) {
  const { t } = useText();
  const { report, filter, nameOf, open } = props;
  const { by, from, to } = report;
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const folds = by === "brand" || by === "denomination";
  const fold = (key: string) => {
    const next = new Set(unfolded);
    if (!next.delete(key)) next.add(key);
    setUnfolded(next);
  };
  const hasVenue = by === "day" || by === "month" || by === "year";
  return (
    <Scroller className={css["scroller"]}>
      <table className={`${panelCss["table"]} ${css["table"]}`}>
        <thead>
          <tr>
            <th scope="col">{t(`reports.by_${by}`)}</th>
            {HEADS.map((head) => (
              <th key={head} scope="col" data-number title={t(`reports.about_${head}`)}>
                {t(`reports.col_${head}`)}
              </th>
            ))}
            {hasVenue && (
              <th scope="col" data-number title={t("reports.about_bonuses")}>
                {t("reports.col_bonuses")}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {report.rows.map((row) => (
            <Row
              key={row.key}
              figures={row.figures}
              hasVenue={hasVenue}
              name={
                folds ? (
                  <button
                    type="button"
                    className={css["fold"]}
                    aria-expanded={unfolded.has(row.key)}
                    onClick={() => fold(row.key)}
                  >
                    <Icon name="down" />
                    <b>{nameOf(row)}</b>
                  </button>
                ) : (
                  <RowName name={nameOf(row)} open={by === "machine" ? () => open(row) : undefined} />
                )
              }
            >
              {folds && unfolded.has(row.key) && (
                <Machines
                  query={{ from, to, ...filter, ...(by === "brand" ? { brand: row.key } : { denomination: row.key }) }}
                  open={open}
                />
              )}
            </Row>
          ))}
        </tbody>
        <tfoot>
          <Row figures={report.total} hasVenue={hasVenue} name={t("reports.all", { count: report.rows.length })} />
        </tfoot>
      </table>
    </Scroller>
  );
}

/** A name that shows what its row is made of, where there is something to show. */
function RowName({ name, open }: { readonly name: string; readonly open: (() => void) | undefined }) {
  if (open === undefined) return name;
  return (
    <button type="button" className={css["opens"]} onClick={open}>
      {name}
    </button>
  );
}

const HEADS = [
  "played",
  "paidBack",
  "hold",
  "expected",
  "held",
  "games",
  "sessions",
  "occupied",
  "cashIn",
  "cashOut",
  "handPays",
  "jackpots",
  "fees",
  "watched",
  "watchersMost",
  "delay",
] as const;

function Machines(props: {
  readonly query: {
    readonly from: string;
    readonly to: string;
    readonly brand?: string;
    readonly denomination?: string | number;
  };
  readonly open: (row: ReportRow) => void;
}) {
  const machines = useRead("report", { query: { ...props.query, by: "machine" } });
  if (machines.data === undefined)
    return (
      <tr>
        <td colSpan={HEADS.length + 1} className={css["loadingRow"]}>
          <Loaded of={machines}>{() => null}</Loaded>
        </td>
      </tr>
    );
  return machines.data.rows.map((row) => (
    <Row
      key={row.key}
      figures={row.figures}
      hasVenue={false}
      isSub
      name={<RowName name={row.name} open={() => props.open(row)} />}
    />
  ));
}

function Row(props: {
  readonly name: ReactNode;
  readonly figures: ReportFigures;
  readonly hasVenue: boolean;
  readonly isSub?: boolean;
  readonly children?: ReactNode;
}) {
  const { t } = useText();
  const { percent, count, share } = useFigures();
  const { figures } = props;
  const { expected, hold } = figures;
  const money = (minor: number) => <Money minor={minor} tone="ink" />;
  const isOutside = isOutsideBand(figures);
  const cells: ReactNode[] = [
    money(figures.wagered),
    money(figures.machinePaid + figures.handPaid),
    hold === null ? "–" : percent(hold),
    expected === null ? (
      <span key="expected" className="soft">
        {figures.wagered === 0 ? "–" : t("reports.notKnown")}
      </span>
    ) : (
      <span key="expected" className="soft">
        {percent(expected.hold)}
      </span>
    ),
    money(figures.held),
    count(figures.games),
    count(figures.sessions),
    share(figures.seatedMs, figures.availableMs),
    money(figures.cashIn),
    money(figures.cashOut),
    figures.handPays + figures.cancelledCredits === 0 ? "–" : money(figures.handPays + figures.cancelledCredits),
    figures.jackpots === 0 ? "–" : money(figures.jackpots),
    figures.fees === 0 ? "–" : money(figures.fees),
    figures.watchedMs === 0 ? "–" : count(Math.round(figures.watchedMs / 60_000)),
    figures.watchersMost === 0 ? "–" : count(figures.watchersMost),
    figures.delay === null
      ? "–"
      : t("reports.delays", { median: count(figures.delay.medianMs), most: count(figures.delay.p95Ms) }),
    ...(props.hasVenue ? [figures.venue === null ? "–" : money(figures.venue.bonuses + figures.venue.discounts)] : []),
  ];
  return (
    <>
      <tr data-sub={props.isSub || undefined}>
        <th scope="row">
          {props.name}
          {figures.discrepancies.open > 0 && (
            <span className={css["mark"]} data-kind="wait">
              {t("reports.openDiscrepancies", { count: figures.discrepancies.open })}
            </span>
          )}
          {figures.ledgerKept !== figures.wagered - figures.machinePaid && (
            <span className={css["mark"]} data-kind="bad">
              {t("reports.differs")}
            </span>
          )}
        </th>
        {cells.map((cell, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns are always the same.
          <td key={at} data-number data-outside={(at === 2 && isOutside) || undefined}>
            {cell}
            {at === 2 && isOutside && expected?.band && (
              <span className="visually-hidden">
                {t("reports.outside", { low: percent(expected.band.low), high: percent(expected.band.high) })}
              </span>
            )}
          </td>
        ))}
      </tr>
      {props.children}
    </>
  );
}

/** The hold is not where chance alone would leave it in 95 of 100 such periods. */
export const isOutsideBand = ({ hold, expected }: ReportFigures): boolean =>
  hold !== null &&
  expected?.band !== null &&
  expected?.band !== undefined &&
  (hold < expected.band.low || hold > expected.band.high);
