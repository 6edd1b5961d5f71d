/**
 * The game all four brands share; they differ in symbols, strips' order and look. Five reels of three rows, twenty lines
 * from left to right, the best prize of each line. A stake is band × 20 lines × bet step.
 */

export const REELS = 5;
export const ROWS = 3;

/** What a symbol does; the brand names its picture. `top` pays most and stands for the other paying ones. */
export const ROLES = ["top", "high", "middle", "low", "lowest", "scatter", "bonus"] as const;
export type Role = (typeof ROLES)[number];

/** Row (0 top, 2 bottom) on each reel. */
export const LINES: readonly (readonly [number, number, number, number, number])[] = [
  [1, 1, 1, 1, 1],
  [0, 0, 0, 0, 0],
  [2, 2, 2, 2, 2],
  [0, 1, 2, 1, 0],
  [2, 1, 0, 1, 2],
  [0, 0, 1, 2, 2],
  [2, 2, 1, 0, 0],
  [1, 0, 0, 0, 1],
  [1, 2, 2, 2, 1],
  [0, 1, 1, 1, 0],
  [2, 1, 1, 1, 2],
  [1, 0, 1, 2, 1],
  [1, 2, 1, 0, 1],
  [0, 1, 0, 1, 0],
  [2, 1, 2, 1, 2],
  [1, 1, 0, 1, 1],
  [1, 1, 2, 1, 1],
  [0, 2, 0, 2, 0],
  [2, 0, 2, 0, 2],
  [0, 2, 2, 2, 0],
];

/** Prize of 3, 4 and 5 equal ones on a line, times the stake of the line. */
export const LINE_PRIZES: Readonly<
  Record<"top" | "high" | "middle" | "low" | "lowest", readonly [number, number, number]>
> = {
  top: [40, 200, 1000],
  high: [15, 50, 250],
  middle: [8, 25, 100],
  low: [4, 12, 40],
  lowest: [3, 6, 20],
};

/** Prize of 3, 4 and 5 scatters anywhere, times the whole stake, and the free spins they bring (not during free spins). */
export const SCATTER_PRIZES: readonly [number, number, number] = [2, 10, 50];
export const FREE_SPINS: readonly [number, number, number] = [8, 12, 20];
/** Every prize of a free spin counts this many times. */
export const FREE_SPIN_FACTOR = 2;

/** One bonus symbol on each of the reels 2, 3 and 4 of a paid spin opens the bonus: three picks, each times the whole stake. */
export const BONUS_REELS: readonly number[] = [1, 2, 3];
export const BONUS_PICKS = 3;
export const BONUS_PRIZES: readonly { prize: number; weight: number }[] = [
  { prize: 2, weight: 40 },
  { prize: 3, weight: 30 },
  { prize: 5, weight: 18 },
  { prize: 10, weight: 9 },
  { prize: 25, weight: 3 },
];

/** How often each symbol is on each reel's strip, in the order of `ROLES`. */
export const STRIP_COUNTS: readonly (readonly number[])[] = [
  [1, 5, 7, 9, 12, 2, 0],
  [1, 5, 7, 9, 11, 1, 2],
  [1, 5, 7, 9, 11, 2, 2],
  [1, 5, 7, 9, 11, 1, 2],
  [1, 5, 7, 10, 12, 1, 0],
];

/**
 * Progressive jackpots of the machine. Each wagered kuruş adds `shareBp` ten-thousandths to the jackpot and hits it once in
 * `oneIn` on average; after a hit it starts again at `start` (minor units).
 */
export const JACKPOTS: readonly { name: string; start: number; shareBp: number; oneIn: number }[] = [
  { name: "GRAND", start: 1_500_000, shareBp: 20, oneIn: 300_000_000 },
  { name: "MAJOR", start: 500_000, shareBp: 20, oneIn: 100_000_000 },
  { name: "MINOR", start: 100_000, shareBp: 30, oneIn: 20_000_000 },
  { name: "MINI", start: 10_000, shareBp: 30, oneIn: 2_000_000 },
];

/** Bands in minor units and the steps of a bet; a stake is band × lines × step. */
export const BANDS: readonly number[] = [10, 20, 50, 100, 500];
export const BET_STEPS: readonly number[] = [1, 2, 3, 5, 10];
export const DEFAULT_BAND = 20;
export const DEFAULT_STEP = 2;
