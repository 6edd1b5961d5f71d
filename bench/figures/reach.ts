import type { Spread } from "./spread.ts";

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
export function oneOf(figure: Figure, at: "p50" | "p95" | "max" = "p50"): number | null {
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
