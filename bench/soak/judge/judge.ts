import type { Point } from "./trend.ts";
import { lowerEnvelope, trendOf } from "./trend.ts";

/** What a measure may gain: the larger of both. */
export type Bound = {
  /** In the whole judged time, in the measure's own unit: below it nobody can tell a leak from the state of pools and caches. */
  readonly most: number;
  /** Of its level, in an hour. */
  readonly shareAnHour: number;
};

export type Judged = {
  /** `step`: it rose, and stays there; `short`: too few readings to say anything. */
  readonly is: "steady" | "step" | "grows" | "short";
  /** Median of the judged time. */
  readonly level: number;
  /** What the trend makes over the judged time. */
  readonly rise: number;
  /** What it may be. */
  readonly allowed: number;
  readonly perHour: number;
};

/** Caches fill, compilers compile, pools come to their size, each machine is watched for the first time: the first share of a run is not judged. */
const WARM_UP = 0.2;
/** Nor, of a short one, so much of it; half of it at most, ms. */
const WARM_UP_MS = 180_000;
/** So many windows an hour-long run is cut into: two minutes each. */
const WINDOWS_MAX = 24;
/** Readings of a window, where there are enough. */
const OF_WINDOW = 3;

/** Whether a measure that people move up and down grows below them: by the lower envelope of its readings, once the run is warm. */
export function judgeGrowth(points: readonly Point[], bound: Bound): Judged {
  const [first, last] = [points[0], points.at(-1)];
  const lengthMs = (last?.at ?? 0) - (first?.at ?? 0);
  const warmAt = (first?.at ?? 0) + Math.max(lengthMs * WARM_UP, Math.min(lengthMs / 2, WARM_UP_MS));
  const judged = points.filter(({ at }) => at >= warmAt);
  const windows = Math.min(WINDOWS_MAX, Math.max(8, Math.floor(judged.length / OF_WINDOW)));
  const trend = trendOf(lowerEnvelope(judged, windows));
  if (trend === null) return { is: "short", level: last?.value ?? 0, rise: 0, allowed: bound.most, perHour: 0 };
  const { level, rise, perHour, hours } = trend;
  const allowed = Math.max(bound.most, bound.shareAnHour * level * hours);
  return { is: verdict(trend, allowed), level, rise, allowed, perHour };
}

function verdict(
  { rise, sure, goesOn }: Pick<NonNullable<ReturnType<typeof trendOf>>, "rise" | "sure" | "goesOn">,
  allowed: number,
): Judged["is"] {
  if (rise <= allowed || !sure) return "steady";
  return goesOn ? "grows" : "step";
}
