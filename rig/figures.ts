/** The middle and the high end of some measured values, with how many there were. */
export type Spread = { readonly p50: number; readonly p95: number; readonly max: number; readonly n: number };

/** Null when nothing was measured. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((one, other) => one - other);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), max: sorted.at(-1) ?? 0, n: sorted.length };
}

/** Null when nothing was measured. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Nearest rank: the least of these, in order, that at least this share of them does not exceed. 0 when there are none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** What happened how often, and what took how long. */
export type Counts = {
  add(what: string, more?: number): void;
  took(what: string, ms: number): void;
  of(what: string): number;
  /** Everything counted whose name begins so, the most frequent first. */
  under(prefix: string): readonly (readonly [what: string, count: number])[];
  spread(what: string): Spread | null;
  /** Each count as one text, by name. */
  lines(): string[];
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
    lines: () =>
      [...counted].sort(([one], [other]) => one.localeCompare(other)).map(([what, count]) => `${what} ${count}`),
  };
}
