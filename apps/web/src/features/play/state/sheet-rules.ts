import type { MachineLimits } from "@longarm/contract/machine";
import { unitsToMinor } from "@longarm/contract/money";
import type { Settings } from "@longarm/contract/settings";
import type { Direction } from "./transfers.ts";

export type SheetInput = {
  readonly direction: Direction;
  /** What the player typed or chose, minor units; undefined: nothing, or not an amount. */
  readonly amount: number | undefined;
  /** Available in the wallet; undefined until the platform has sent it. */
  readonly wallet: number | undefined;
  /** On the machine. */
  readonly credit: number;
  /** Value of one credit, minor units: the machine counts whole credits only. */
  readonly denomination: number;
  readonly limits: MachineLimits | undefined;
  readonly settings: Pick<Settings, "hotCoins" | "maxAllIn">;
};

export type SheetProblem = "notEnough" | "belowMin" | "aboveMax" | "notWhole";

export type QuickAmount = { readonly label: string; readonly minor: number; readonly enabled: boolean };

export type Sheet = {
  /** What the giving side has now, and keeps. */
  readonly from: { readonly now: number; readonly after: number };
  readonly to: { readonly now: number; readonly after: number };
  readonly quick: readonly QuickAmount[];
  /** The maximum that can move at once: everything, within the machine's limit and `maxAllIn`. 0: nothing can. */
  readonly all: number;
  readonly problem: SheetProblem | undefined;
  /** The bound that the problem names, minor units: of `notWhole` the value of one credit. */
  readonly bound: number;
  /** Whether the transfer can start. */
  readonly ready: boolean;
};

/** The money sheet as numbers: what remains on each side, what can be chosen, and what is wrong. */
export function sheetOf(input: SheetInput): Sheet {
  const { direction, amount, wallet = 0, credit, denomination, limits, settings } = input;
  const [from, to] = direction === "cashIn" ? [wallet, credit] : [credit, wallet];
  const whole = (minor: number): number => minor - (minor % denomination);
  // A machine gives back all it has, however little or much that is; its limits are for what goes in.
  const min = direction === "cashIn" ? whole((limits?.minTransfer ?? 1) + denomination - 1) : denomination;
  const max = whole(
    direction === "cashIn" ? (limits?.maxTransfer ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
  );
  const allIn = direction === "cashIn" ? whole(Math.min(from, max, unitsToMinor(settings.maxAllIn))) : from;
  const bounds: Bounds = { from, min, max, denomination, everything: direction === "cashOut" ? from : undefined };
  const problem = problemOf(amount, bounds);
  const moved = amount !== undefined && problem === undefined ? amount : 0;
  return {
    from: { now: from, after: from - moved },
    to: { now: to, after: to + moved },
    quick: settings.hotCoins.map((coin) => {
      const minor = unitsToMinor(coin.amount);
      return { label: coin.label, minor, enabled: problemOf(minor, bounds) === undefined };
    }),
    all: allIn >= min || direction === "cashOut" ? allIn : 0,
    problem,
    bound: boundOf(problem, bounds),
    ready: moved > 0,
  };
}

type Bounds = {
  readonly from: number;
  readonly min: number;
  readonly max: number;
  readonly denomination: number;
  /** Of a cash-out: it goes back as it is, whole credits or not. */
  readonly everything: number | undefined;
};

function problemOf(
  amount: number | undefined,
  { from, min, max, denomination, everything }: Bounds,
): SheetProblem | undefined {
  if (amount === undefined || amount === everything) return undefined;
  if (amount > from) return "notEnough";
  if (amount > max) return "aboveMax";
  if (amount < min) return "belowMin";
  return amount % denomination === 0 ? undefined : "notWhole";
}

function boundOf(problem: SheetProblem | undefined, bounds: Bounds): number {
  if (problem === "belowMin") return bounds.min;
  if (problem === "notWhole") return bounds.denomination;
  return problem === "aboveMax" ? bounds.max : bounds.from;
}
