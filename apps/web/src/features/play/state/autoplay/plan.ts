/** What the player asked of autoplay. */
export type AutoplayPlan = {
  /** Games to play; undefined: until the player stops. */
  readonly games: number | undefined;
  /** Stops after a win above this many times the stake; 0: after any win; undefined: never. */
  readonly winAbove: number | undefined;
  /** Stops when the credit falls below this, minor units; undefined: never. */
  readonly creditBelow: number | undefined;
  /** Stops also when the machine begins free spins, which play by themselves. */
  readonly atFreeSpins: boolean;
};

/** The counts that are offered; undefined: until the player stops. */
export const GAME_CHOICES: readonly (number | undefined)[] = [10, 25, 50, 100, undefined];
/** The wins that are offered to stop at, as times the stake. */
export const WIN_CHOICES: readonly (number | undefined)[] = [undefined, 0, 10, 50, 100];

export const FIRST_PLAN: AutoplayPlan = {
  games: 10,
  winAbove: undefined,
  creditBelow: undefined,
  atFreeSpins: false,
};
