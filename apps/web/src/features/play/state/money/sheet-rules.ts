import type { MachineLimits } from "@longarm/contract/machine";
import { unitsToMinor } from "@longarm/contract/money";
import type { Settings } from "@longarm/contract/settings";
import type { Direction } from "./open-transfer.ts";

export type SheetFacts = {
  readonly direction: Direction;
  /** What the player typed or chose, minor units; undefined: nothing, or not an amount. */
  readonly amount: number | undefined;
  /** Spendable in the wallet; undefined until it was told. */
  readonly wallet: number | undefined;
  /** On the machine. */
  readonly credit: number;
  readonly limits: MachineLimits | undefined;
  readonly settings: Pick<Settings, "hotCoins" | "maxAllIn">;
};

export type SheetProblem = "notEnough" | "belowLeast" | "aboveMost";

export type QuickAmount = { readonly label: string; readonly minor: number; readonly enabled: boolean };

export type Sheet = {
  /** What the giving side has now, and keeps. */
  readonly from: { readonly now: number; readonly after: number };
  readonly to: { readonly now: number; readonly after: number };
  readonly quick: readonly QuickAmount[];
  /** The most that can move at once: everything, within the machine's limit and `maxAllIn`. 0: nothing can. */
  readonly all: number;
  readonly problem: SheetProblem | undefined;
  /** The bound that the problem names, minor units. */
  readonly bound: number;
  /** Whether the transfer can be asked for. */
  readonly ready: boolean;
};

/** The money sheet as numbers: what remains on each side, what can be chosen, and what is wrong. */
export function sheetOf({ direction, amount, wallet = 0, credit, limits, settings }: SheetFacts): Sheet {
  const [from, to] = direction === "cashIn" ? [wallet, credit] : [credit, wallet];
  // A machine gives back all it has, however little or much that is; its limits are for what goes in.
  const least = direction === "cashIn" ? (limits?.minTransfer ?? 1) : 1;
  const most = direction === "cashIn" ? (limits?.maxTransfer ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER;
  const allIn = direction === "cashIn" ? Math.min(from, most, unitsToMinor(settings.maxAllIn)) : from;
  const problem = problemOf(amount, { from, least, most });
  const moved = amount !== undefined && problem === undefined ? amount : 0;
  return {
    from: { now: from, after: from - moved },
    to: { now: to, after: to + moved },
    quick: settings.hotCoins.map((coin) => {
      const minor = unitsToMinor(coin.amount);
      return { label: coin.label, minor, enabled: problemOf(minor, { from, least, most }) === undefined };
    }),
    all: allIn >= least ? allIn : 0,
    problem,
    bound: boundOf(problem, { from, least, most }),
    ready: moved > 0,
  };
}

function problemOf(
  amount: number | undefined,
  { from, least, most }: { from: number; least: number; most: number },
): SheetProblem | undefined {
  if (amount === undefined) return undefined;
  if (amount > from) return "notEnough";
  if (amount > most) return "aboveMost";
  return amount < least ? "belowLeast" : undefined;
}

function boundOf(problem: SheetProblem | undefined, of: { from: number; least: number; most: number }): number {
  if (problem === "belowLeast") return of.least;
  return problem === "aboveMost" ? of.most : of.from;
}
