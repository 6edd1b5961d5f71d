import type { Spread } from "../figures/spread.ts";
import { spreadOf } from "../figures/spread.ts";
import type { Seen } from "../page/probe.ts";

/** A gap between two pictures that a player notices, ms: five pictures missing. */
const NOTICED_MS = 200;

/** What a time of watching came to. */
export type Watched = {
  readonly ages: Spread | null;
  readonly readouts: Spread | null;
  readonly presses: Spread | null;
  readonly framesPerSecond: number;
  /** Gaps between two pictures, ms. */
  readonly gaps: readonly number[];
  readonly noticedGaps: number;
  readonly longestGapMs: number;
};

export function watchedOf({ frames, presses, readoutsMs }: Seen): Watched {
  const shown = frames.map(({ shownAt }) => shownAt);
  const gaps = shown.slice(1).map((at, index) => at - (shown[index] ?? at));
  const lastedMs = (shown.at(-1) ?? 0) - (shown[0] ?? 0);
  return {
    ages: spreadOf(frames.flatMap(({ ageMs }) => (ageMs === null ? [] : [ageMs]))),
    readouts: spreadOf(readoutsMs),
    presses: spreadOf(presses.map(({ at, frame }) => frame.shownAt - at)),
    framesPerSecond: lastedMs === 0 ? 0 : (gaps.length * 1000) / lastedMs,
    gaps,
    noticedGaps: gaps.filter((gap) => gap > NOTICED_MS).length,
    longestGapMs: Math.max(0, ...gaps),
  };
}
