import { randomOf } from "@longarm/reels/game/random";

/** Seeded choices. */
export type Chance = {
  /** From 0 to below 1. */
  readonly next: () => number;
  /** A whole or broken number from `least` to below `most`. */
  between(least: number, most: number): number;
  pick<T>(from: readonly T[]): T;
  /** One of the entries, by their weights. */
  weighted<T>(from: readonly (readonly [weight: number, one: T])[]): T;
};

export function createChance(next: () => number): Chance {
  return {
    next,
    between: (least, most) => least + next() * (most - least),
    pick(from) {
      const one = from[Math.floor(next() * from.length)];
      if (one === undefined) throw new Error("There is nothing to pick from.");
      return one;
    },
    weighted(from) {
      let at = next() * from.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, one] of from) {
        at -= weight;
        if (at < 0) return one;
      }
      throw new Error("There is nothing to pick from.");
    },
  };
}

/** Choices that repeat with their seed. */
export const chanceOf = (seed: string): Chance => createChance(seededRandom(seed));

/** Numbers from 0 to below 1 that repeat with their seed. */
export function seededRandom(seed: string): () => number {
  const random = randomOf(seed, "path");
  return () => random.whole(2 ** 32) / 2 ** 32;
}
