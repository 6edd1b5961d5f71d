import type { Spread } from "../../bench/figures/spread.ts";
import { spreadOf } from "../../bench/figures/spread.ts";

/** What happened how often, and what took how long. */
export type Counts = {
  add(what: string, more?: number): void;
  took(what: string, ms: number): void;
  of(what: string): number;
  /** Everything counted whose name begins so, the most frequent first. */
  under(prefix: string): readonly (readonly [what: string, count: number])[];
  spread(what: string): Spread | null;
};

export function createCounts(): Counts {
  const counted = new Map<string, number>();
  const times = new Map<string, number[]>();
  return {
    add: (what, more = 1) => void counted.set(what, (counted.get(what) ?? 0) + more),
    took: (what, ms) => void times.set(what, [...(times.get(what) ?? []), ms]),
    of: (what) => counted.get(what) ?? 0,
    under: (prefix) =>
      [...counted]
        .filter(([what]) => what.startsWith(prefix))
        .map(([what, count]) => [what.slice(prefix.length), count] as const)
        .sort(([, one], [, other]) => other - one),
    spread: (what) => spreadOf(times.get(what) ?? []),
  };
}
