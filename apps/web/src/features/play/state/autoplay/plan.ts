/** What the player asked of autoplay. Amounts in minor units; undefined: never. */
export type AutoplayPlan = {
  /** Games to play; undefined: until the player stops. */
  readonly games: number | undefined;
  /** Stops when so much is lost since it began. */
  readonly lossReaches: number | undefined;
  /** Stops when one win is above this; 0: after any win. */
  readonly winAbove: number | undefined;
  /** Stops when the credit falls below this. */
  readonly creditBelow: number | undefined;
  /** Stops when the credit rises above this. */
  readonly creditAbove: number | undefined;
  /** Stops also when the machine begins free spins, which play by themselves. */
  readonly atFreeSpins: boolean;
};

/** The limits that are typed as amounts. */
export const MONEY_LIMITS = ["lossReaches", "winAbove", "creditBelow", "creditAbove"] as const;
export type MoneyLimit = (typeof MONEY_LIMITS)[number];

/** The counts that are offered; undefined: until the player stops. */
export const GAME_CHOICES: readonly (number | undefined)[] = [10, 25, 50, 100, undefined];

export const FIRST_PLAN: AutoplayPlan = {
  games: 10,
  lossReaches: undefined,
  winAbove: undefined,
  creditBelow: undefined,
  creditAbove: undefined,
  atFreeSpins: false,
};
