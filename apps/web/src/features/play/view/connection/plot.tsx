import { useText } from "../../../../shared/i18n/use-text.ts";
import css from "./connection.module.css";

const WIDTH = 240;
const HEIGHT = 44;
const SECONDS = 60;

/** One figure over the last minute, newest at the right. What a screen reader says of it are its ends. */
export function Plot(props: {
  readonly name: string;
  /** Second by second, oldest first; undefined where nothing was measured. */
  readonly values: readonly (number | undefined)[];
  readonly write: (value: number | undefined) => string;
  /** The top of the scale while nothing is higher. */
  readonly top: number;
}) {
  const { t } = useText();
  const { name, values, write, top } = props;
  const known = values.filter((value) => value !== undefined);
  const most = Math.max(...known, Number.NEGATIVE_INFINITY);
  const scale = Math.max(top, most * 1.1);
  const label =
    known.length === 0
      ? t("connection.plotEmpty", { what: name })
      : t("connection.plot", {
          what: name,
          now: write(values.at(-1)),
          least: write(Math.min(...known)),
          most: write(most),
        });
  return (
    <figure className={css["plot"]}>
      <figcaption aria-hidden="true">
        <span>{name}</span>
        <span className="num" dir="ltr">
          {write(values.at(-1))}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <path className={css["ground"]} d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        {stretches(values).map((points) => (
          <path key={points[0]?.[0]} className={css["curve"]} d={curve(points, scale)} />
        ))}
      </svg>
    </figure>
  );
}

type Point = readonly [second: number, value: number];

/** Runs of seconds that were measured: a gap is a gap. */
function stretches(values: readonly (number | undefined)[]): Point[][] {
  const runs: Point[][] = [];
  let run: Point[] = [];
  for (const [index, value] of values.entries()) {
    const second = SECONDS - values.length + index;
    if (value === undefined) run = [];
    else if (run.push([second, value]) === 1) runs.push(run);
  }
  return runs;
}

function curve(points: readonly Point[], scale: number): string {
  const x = (second: number): number => Math.round((second * WIDTH * 10) / (SECONDS - 1)) / 10;
  const y = (value: number): number => Math.round((HEIGHT - 1 - (value * (HEIGHT - 3)) / scale) * 10) / 10;
  const [first] = points;
  // A single second is a dot.
  if (points.length === 1 && first !== undefined) return `M${x(first[0])} ${y(first[1])}h0.5`;
  return points.map(([second, value], index) => `${index === 0 ? "M" : "L"}${x(second)} ${y(value)}`).join("");
}
