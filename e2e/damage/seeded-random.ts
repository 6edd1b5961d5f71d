import { randomOf } from "../../apps/agent/src/drivers/simulated/game/random.ts";

/** The same luck in every run: numbers from 0 to below 1. */
export function seededRandom(seed: string): () => number {
  const dice = randomOf(seed, "path");
  return () => dice.whole(2 ** 32) / 2 ** 32;
}
