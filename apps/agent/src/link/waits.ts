/** `away`: nobody is there, come back soon. `refused`: a person must act, or another link must end first. */
export type Trouble = "away" | "refused";

const WAITS: Record<Trouble, { firstMs: number; lastMs: number }> = {
  away: { firstMs: 250, lastMs: 5_000 },
  refused: { firstMs: 2_000, lastMs: 30_000 },
};

/** The wait before the next try: doubles with every failure, spread over its upper half. `random` is 0 to below 1. */
export function waitMs(trouble: Trouble, failures: number, random: number): number {
  const { firstMs, lastMs } = WAITS[trouble];
  const wait = Math.min(lastMs, firstMs * 2 ** Math.min(failures, 16));
  return Math.round(wait * (0.5 + random / 2));
}
