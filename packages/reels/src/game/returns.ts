import { linePrize } from "./evaluate.ts";
import type { Role } from "./rules.ts";
import {
  BONUS_PICKS,
  BONUS_PRIZES,
  BONUS_REELS,
  FREE_SPIN_FACTOR,
  FREE_SPINS,
  JACKPOTS,
  ROLES,
  ROWS,
  SCATTER_PRIZES,
} from "./rules.ts";
import type { Strip } from "./strips.ts";

/** Return to player by its parts, as shares of the stake. */
type Returns = {
  lines: number;
  scatters: number;
  freeSpins: number;
  bonus: number;
  jackpots: number;
  total: number;
};

/** Expected line prize in line stakes: every line sees one independent stop of each reel, so all lines are alike. */
function lineExpectation(strips: readonly Strip[]): number {
  const chances = strips.map((strip) =>
    ROLES.map((role) => strip.filter((symbol) => symbol === role).length / strip.length),
  );
  let sum = 0;
  const walk = (symbols: Role[], chance: number): void => {
    if (symbols.length === strips.length) {
      sum += chance * linePrize(symbols).prize;
      return;
    }
    for (const [index, role] of ROLES.entries()) {
      const p = chances[symbols.length]?.[index] ?? 0;
      if (p > 0) walk([...symbols, role], chance * p);
    }
  };
  walk([], 1);
  return sum;
}

/** Chance that a reel's window shows the symbol, counted over all its stops. */
function shown(strip: Strip, role: Role): number {
  const hits = strip.filter((_, stop) =>
    Array.from({ length: ROWS }, (__, row) => strip[(stop + row) % strip.length]).includes(role),
  );
  return hits.length / strip.length;
}

/** Chances of 0 to 5 reels that show a scatter. */
function scatterChances(strips: readonly Strip[]): number[] {
  let chances = [1];
  for (const strip of strips) {
    const p = shown(strip, "scatter");
    chances = Array.from(
      { length: chances.length + 1 },
      (_, n) => (chances[n] ?? 0) * (1 - p) + (chances[n - 1] ?? 0) * p,
    );
  }
  return chances;
}

/** The exact long-run return of the game on these strips: no simulation, every combination counted. */
export function returnsOf(strips: readonly Strip[]): Returns {
  const lineUnits = lineExpectation(strips);
  const lines = lineUnits;
  const counts = scatterChances(strips);
  const over = (values: readonly number[]): number =>
    values.reduce((sum, value, n) => sum + value * (counts[n + 3] ?? 0), 0);
  const scatters = over(SCATTER_PRIZES);
  const freeSpins = over(FREE_SPINS) * FREE_SPIN_FACTOR * (lines + scatters);
  const weight = BONUS_PRIZES.reduce((sum, entry) => sum + entry.weight, 0);
  const pick = BONUS_PRIZES.reduce((sum, entry) => sum + (entry.prize * entry.weight) / weight, 0);
  const bonus =
    BONUS_REELS.reduce((chance, reel) => chance * shown(strips[reel] ?? [], "bonus"), 1) * BONUS_PICKS * pick;
  const jackpots = JACKPOTS.reduce((sum, jackpot) => sum + jackpot.shareBp / 10_000 + jackpot.start / jackpot.oneIn, 0);
  return { lines, scatters, freeSpins, bonus, jackpots, total: lines + scatters + freeSpins + bonus + jackpots };
}
