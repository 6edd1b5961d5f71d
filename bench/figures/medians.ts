import type { Result } from "../parts/part.ts";
import type { Spread } from "./spread.ts";
import { spreadOf } from "./spread.ts";

/**
 * Several runs of the same measurements as one: of each figure the median of the runs, and the most that any run saw. A figure
 * that was a single number has the median as its p50 and the number of runs as n.
 */
export function mediansOf(results: readonly Result[]): Result[] {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const name = JSON.stringify([result.what, result.condition, result.unit]);
    groups.set(name, [...(groups.get(name) ?? []), result]);
  }
  return [...groups.values()].map((runs) => ({
    ...(runs[0] as Result),
    value: medianOf(runs.map(({ value }) => value)),
    ...heldOf(runs),
  }));
}

/** The peer of several runs is the median of its own; its name is that of a run in which it was measured. */
function heldOf(runs: readonly Result[]): Pick<Result, "held"> {
  const peers = runs.flatMap(({ held }) => (held?.peer === undefined ? [] : [held.peer]));
  const [first] = peers.toSorted((one, other) => Number(one.value === null) - Number(other.value === null));
  if (first === undefined) return {};
  return { held: { ...runs[0]?.held, peer: { ...first, value: medianOf(peers.map(({ value }) => value)) } } };
}

function medianOf(values: readonly Result["value"][]): Result["value"] {
  if (values.length === 1) return values[0] ?? null;
  const spreads = values.filter((value): value is Spread => typeof value === "object" && value !== null);
  if (spreads.length === 0) return spreadOf(values.filter((value) => typeof value === "number"));
  return {
    p50: middle(spreads.map(({ p50 }) => p50)),
    p95: middle(spreads.map(({ p95 }) => p95)),
    max: Math.max(...spreads.map(({ max }) => max)),
    n: spreads.reduce((sum, { n }) => sum + n, 0),
  };
}

const middle = (values: readonly number[]): number => spreadOf(values)?.p50 ?? 0;
