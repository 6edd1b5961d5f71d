import type { Spread } from "../rig/figures.ts";
import { spreadOf } from "../rig/figures.ts";
import type { Condition } from "./options.ts";
import type { Setup } from "./setup/setup.ts";

/** One line of the results. */
export type Result = {
  readonly what: string;
  readonly condition: string;
  readonly unit: "ms" | "% of a core" | "points" | "MB" | "KB" | "KiB" | "a second" | "times" | "Mbit/s" | "of 100";
  readonly value: Spread | number | null;
  /** What it is held against and what is wanted of it; a figure without one only explains others. */
  readonly held?: Held;
};

/** A measurement that runs by its name. Only some use the chosen ways between browser and agent. */
export type Part = (setup: Setup, report: (result: Result) => void, ways: readonly Condition[]) => Promise<void>;

type Figure = Spread | number | null;

/** What a figure is held against, and what is wanted of it. */
export type Held = {
  /** Something on the same computer in the same run: another program, or the same work without us. */
  readonly peer?: { readonly name: string; readonly value: Figure };
  /** Wanted of the figure itself or, of `ratio`, of figure to peer. Both ends belong to it. */
  readonly reach?: {
    readonly of: "figure" | "ratio";
    readonly atMost?: number;
    readonly atLeast?: number;
    /** Which of the figure's values counts; without it the middle one. */
    readonly at?: "p50" | "p95" | "max";
  };
};

/** A figure by its one value that counts; null: nothing was measured. */
function oneOf(figure: Figure, at: "p50" | "p95" | "max" = "p50"): number | null {
  return typeof figure === "object" ? (figure?.[at] ?? null) : figure;
}

/** Figure to peer; null without either, and for a peer of 0. */
export function ratioOf(figure: Figure, { peer, reach }: Held): number | null {
  const [ours, theirs] = [oneOf(figure, reach?.at), oneOf(peer?.value ?? null, reach?.at)];
  return ours === null || theirs === null || theirs === 0 ? null : ours / theirs;
}

/** Whether what is wanted is so; what was not measured is not met. Null where nothing is wanted. */
export function isMet(figure: Figure, held: Held): boolean | null {
  const { reach } = held;
  if (reach === undefined) return null;
  const counted = reach.of === "ratio" ? ratioOf(figure, held) : oneOf(figure, reach.at);
  if (counted === null) return false;
  return (
    counted <= (reach.atMost ?? Number.POSITIVE_INFINITY) && counted >= (reach.atLeast ?? Number.NEGATIVE_INFINITY)
  );
}

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
