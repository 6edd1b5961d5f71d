import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { CSSProperties, ReactNode } from "react";
import { useState } from "react";
import { Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import css from "./charts.module.css";

/** A value of a chart beside its name, and how both are written. */
type Point = {
  readonly key: string;
  /** Below its column; every column has one, and those that would touch are left out. */
  readonly name: string;
  readonly value: number;
  readonly text: string;
  /** It is not over yet. */
  readonly isNow?: boolean;
};

/** A chart with a title that asks and a sentence that answers; it can be read as a table. */
function Chart(props: {
  readonly title: string;
  readonly about?: ReactNode;
  /** What somebody learns who does not see it. */
  readonly sentence: string;
  readonly table: ReactNode;
  readonly children: ReactNode;
}) {
  const { t } = useText();
  const [isTable, setTable] = useState(false);
  return (
    <Panel
      title={props.title}
      about={props.about}
      tools={
        <button type="button" className={css["toggle"]} aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {t("reports.asTable")}
        </button>
      }
    >
      {isTable ? (
        <Scroller className={css["asTable"]}>{props.table}</Scroller>
      ) : (
        <div className={css["chart"]} role="img" aria-label={props.sentence}>
          {props.children}
        </div>
      )}
    </Panel>
  );
}

/** Steps of an axis from zero to a round number that is not below the largest value, in whole currency units. */
function axisOf(most: number): number[] {
  // Steps of less than one would all be written as the same whole number.
  const shown = Math.max(most, 4);
  const rough = shown / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.ceil(shown / step) + 1 }, (_, at) => at * step);
}

/** Columns from zero. */
export function Columns(props: {
  readonly title: string;
  readonly about?: string;
  readonly sentence: string;
  readonly nameHead: string;
  readonly valueHead: string;
  readonly points: readonly Point[];
  readonly tick: (value: number) => string;
}) {
  const { points } = props;
  const ticks = axisOf(Math.max(0, ...points.map(({ value }) => value)));
  const top = ticks.at(-1) ?? 1;
  const hasNow = points.some(({ isNow }) => isNow);
  return (
    <Chart
      title={props.title}
      about={props.about}
      sentence={props.sentence}
      table={
        <table className={panelCss["table"]}>
          <thead>
            <tr>
              <th scope="col">{props.nameHead}</th>
              <th scope="col" data-number>
                {props.valueHead}
              </th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ key, name, text }) => (
              <tr key={key}>
                <td>{name}</td>
                <td data-number className="ltr">
                  {text}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      }
    >
      <div
        className={css["columns"]}
        data-many={points.length > 14 || undefined}
        data-some={points.length > 7 || undefined}
      >
        <div className={css["axis"]}>
          {ticks.toReversed().map((value) => (
            <span key={value}>{props.tick(value)}</span>
          ))}
        </div>
        <div className={css["field"]}>
          {ticks.map((value) => (
            <i key={value} style={{ insetBlockEnd: `${(value / top) * 100}%` }} />
          ))}
          {points.map(({ key, name, value, text, isNow }) => (
            <span
              key={key}
              className={css["column"]}
              title={`${name}: ${text}`}
              data-quiet={(hasNow && !isNow) || undefined}
            >
              <b style={{ blockSize: `${(Math.max(0, value) / top) * 100}%` }} />
            </span>
          ))}
        </div>
        <div className={css["names"]}>
          {points.map(({ key, name }) => (
            <span key={key}>
              <span>{name}</span>
            </span>
          ))}
        </div>
      </div>
    </Chart>
  );
}

/** How much of the lamp's hue a cell has, from 0 to 1. */
const shareOf = (share: number) => ({ "--share": `${Math.round(share * 100)}%` }) as CSSProperties;

type HeatRow = {
  readonly key: number;
  readonly name: string;
  /** From 0 to 1 by hour; null: there was none. */
  readonly shares: readonly (number | null)[];
};

/** Days of the week by hours, one hue: the fuller, the brighter. */
export function HeatMap(props: {
  readonly title: string;
  readonly sentence: string;
  readonly nameHead: string;
  readonly scale: string;
  readonly hours: readonly number[];
  readonly rows: readonly HeatRow[];
  readonly percent: (share: number) => string;
}) {
  const { hours, rows, percent } = props;
  const two = (hour: number) => String(hour).padStart(2, "0");
  const shown = (share: number | null | undefined) => (share === null || share === undefined ? "–" : percent(share));
  return (
    <Chart
      title={props.title}
      about={
        <span className={css["scale"]}>
          {[0.08, 0.3, 0.55, 0.78, 1].map((share) => (
            <i key={share} style={shareOf(share)} aria-hidden="true" />
          ))}
          <small>{props.scale}</small>
        </span>
      }
      sentence={props.sentence}
      table={
        <table className={panelCss["table"]}>
          <thead>
            <tr>
              <th scope="col">{props.nameHead}</th>
              {hours.map((hour) => (
                <th key={hour} scope="col" data-number>
                  {two(hour)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, name, shares }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                {hours.map((hour, at) => (
                  <td key={hour} data-number>
                    {shown(shares[at])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      }
    >
      <div className={css["heat"]}>
        {rows.map(({ key, name, shares }) => (
          <div key={key} className={css["heatRow"]}>
            <small>{name}</small>
            {hours.map((hour, at) => (
              <i
                key={hour}
                title={`${name} ${two(hour)}: ${shown(shares[at])}`}
                data-none={shares[at] === null || undefined}
                style={shareOf(0.06 + (shares[at] ?? 0) * 0.94)}
              />
            ))}
          </div>
        ))}
        <div className={css["heatRow"]}>
          <small />
          {hours.map((hour, at) => (
            <small key={hour}>{at % 3 === 0 ? two(hour) : ""}</small>
          ))}
        </div>
      </div>
    </Chart>
  );
}
