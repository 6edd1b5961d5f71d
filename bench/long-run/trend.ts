/** One reading: when, in ms of a clock that only goes forward, and what. */
export type Point = { readonly at: number; readonly value: number };

const HOUR_MS = 3_600_000;
/** One-sided: by chance alone a series seems to rise so surely once in a hundred times. */
const SURE_Z = 2.33;
/** With fewer readings no order of them is rare enough. */
const POINTS_MIN = 6;
/** Of what rose in all, each half of the way must have at least this share. */
const SHARE_MIN = 0.15;

/** How a series goes, by its ranks and medians: single readings that lie far off count for little. */
export type Trend = {
  /** Theil–Sen: the median of the slopes of all pairs, per hour. */
  readonly perHour: number;
  /** What that makes over the time of the series. */
  readonly rise: number;
  /** The median of the values. */
  readonly level: number;
  /** Mann–Kendall: that so many later readings lie above earlier ones is no chance. */
  readonly sure: boolean;
  /** It rises all the way, not by one step or until it is full. */
  readonly stillRises: boolean;
  readonly hours: number;
};

/** Null for too few readings. */
export function trendOf(points: readonly Point[]): Trend | null {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < POINTS_MIN || last.at <= first.at) return null;
  const hours = (last.at - first.at) / HOUR_MS;
  const perHour = median(
    pairsOf(points).map(([one, other]) => ((other.value - one.value) * HOUR_MS) / (other.at - one.at)),
  );
  const values = points.map(({ value }) => value);
  return {
    ...{ perHour, hours, rise: perHour * hours, level: median(values) },
    sure: risingZ(points) > SURE_Z,
    stillRises: stillRises(points, perHour),
  };
}

/** The least value of each of at most `windows` equal times: what is left when everybody else's comings and goings are not counted. */
export function lowerEnvelope(points: readonly Point[], windows: number): Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const lengthMs = (last.at - first.at) / windows || 1;
  const least = new Map<number, Point>();
  for (const point of points) {
    const window = Math.min(windows - 1, Math.floor((point.at - first.at) / lengthMs));
    const before = least.get(window);
    if (before === undefined || point.value < before.value) least.set(window, point);
  }
  // Its place is the middle of its time: the moment of the least reading within it is chance.
  return [...least]
    .toSorted(([one], [other]) => one - other)
    .map(([window, { value }]) => ({ at: first.at + (window + 0.5) * lengthMs, value }));
}

/** Mann–Kendall's statistic over its spread, ties counted. */
function risingZ(points: readonly Point[]): number {
  const n = points.length;
  const s = pairsOf(points).reduce((sum, [one, other]) => sum + Math.sign(other.value - one.value), 0);
  const groups = new Map<number, number>();
  for (const { value } of points) groups.set(value, (groups.get(value) ?? 0) + 1);
  const weight = (count: number): number => count * (count - 1) * (2 * count + 5);
  const ties = [...groups.values()].reduce((sum, count) => sum + weight(count), 0);
  const spread = Math.sqrt((weight(n) - ties) / 18);
  return spread === 0 ? 0 : (s - Math.sign(s)) / spread;
}

/** A line fits the readings better than one step does, and the last third rises like those before it. */
function stillRises(points: readonly Point[], perHour: number): boolean {
  const values = points.map(({ value }) => value);
  const [first] = points;
  if (first === undefined) return false;
  const along = points.map(({ at, value }) => value - (perHour * (at - first.at)) / HOUR_MS);
  const steps = values.slice(1).map((_, at) => spread(values.slice(0, at + 1)) + spread(values.slice(at + 1)));
  if (spread(along) > Math.min(...steps)) return false;
  const third = Math.floor(values.length / 3);
  const [from, middle, to] = [
    median(values.slice(0, third)),
    median(values.slice(third, values.length - third)),
    median(values.slice(values.length - third)),
  ];
  const least = SHARE_MIN * (to - from);
  return least > 0 && middle - from > least && to - middle > least;
}

/** How far values lie from their middle, in all. */
function spread(values: readonly number[]): number {
  const middle = median(values);
  return values.reduce((sum, value) => sum + Math.abs(value - middle), 0);
}

function pairsOf(points: readonly Point[]): (readonly [Point, Point])[] {
  return points.flatMap((one, at) => points.slice(at + 1).map((other) => [one, other] as const));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)] ?? 0,
    sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0,
  ];
  return (low + high) / 2;
}
