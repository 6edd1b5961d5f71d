import { BANDS, BET_STEPS, LINES } from "@longarm/reels/game/rules";

/** One model of machine. Money in minor units. */
export type Model = {
  /** SAS address, 1 to 127; 0: deaf. */
  readonly address: number;
  readonly assetNumber: number;
  /** At most 40 printable ASCII characters. */
  readonly serial: string;
  /** Brand id of the reel game. */
  readonly brand: string;
  /** Makes the games: the same seed and stakes bring the same ones. */
  readonly seed: string;
  /** The worth of one credit: a key of `DENOMINATIONS`. */
  readonly denomination: number;
  readonly creditMax: number;
  /** The most that one AFT transfer moves. */
  readonly transferMax: number;
  /** A win from here on is paid by hand. */
  readonly handPayFrom: number;
  /** Places of the AFT history, 1 to 127. */
  readonly historyPlaces: number;
  readonly partialToHost: boolean;
  /** What the machine does with cash-out where no host takes the credits: a validated ticket, or a hand pay of cancelled credits. */
  readonly tickets: boolean;
  /** Least time from game to game, ms; shorter than 2500 speeds the reels up. */
  readonly minCycleMs: number;
  /** How long an AFT transfer is pending, ms. */
  readonly transferMs: number;
  /** Long polls that this firmware does not know, by command byte. */
  readonly lacks: readonly number[];
  /** SAS version as long poll 54 says it, three characters. */
  readonly version: string;
  /** Switched off in its menu; or it takes transfers only from a host that has registered. */
  readonly aft: "on" | "off" | "registered";
  /** The worth of a credit that it states, a key of `DENOMINATIONS`; null: the one that it counts in. */
  readonly statedDenomination: number | null;
  /** A host may disable it; else it acknowledges and continues. */
  readonly hostControl: boolean;
  /** Games move its cumulative meters. */
  readonly counts: boolean;
  /** Status with which it refuses every transfer; null: it does not. */
  readonly refuses: number | null;
  /** A host may lock it for a transfer. */
  readonly locks: boolean;
};

/** The code of SAS for each worth of a credit, minor units (hundredths of the currency). */
export const DENOMINATIONS: Readonly<Record<number, number>> = {
  1: 0x01,
  5: 0x02,
  10: 0x03,
  25: 0x04,
  50: 0x05,
  100: 0x06,
  500: 0x07,
  1000: 0x08,
  2000: 0x09,
};

export const MODEL: Model = {
  address: 1,
  assetNumber: 1_001,
  serial: "LC-000001001",
  brand: "nar",
  seed: "cabinet",
  denomination: 10,
  creditMax: 100_000_000,
  transferMax: 10_000_000,
  handPayFrom: 5_000_000,
  historyPlaces: 127,
  partialToHost: true,
  tickets: true,
  minCycleMs: 2_500,
  transferMs: 40,
  lacks: [],
  version: "602",
  aft: "on",
  statedDenomination: null,
  hostControl: true,
  counts: true,
  refuses: null,
  locks: true,
};

/** A wager has four BCD digits in real-time events. */
const WAGER_MAX = 9_999;

/** Minor units. */
export const stakeOf = (band: number, step: number): number => band * LINES.length * (BET_STEPS[step] ?? 1);

/** Whether the panel offers this bet: whole credits, and no more of them than SAS can say. */
export function offers({ denomination }: Pick<Model, "denomination">, band: number, step: number): boolean {
  const stake = stakeOf(band, step);
  return stake % denomination === 0 && stake / denomination <= WAGER_MAX;
}

/** Credits of the largest bet. */
export function maxBet(model: Pick<Model, "denomination">): number {
  const stakes = BANDS.flatMap((band) =>
    BET_STEPS.map((_, step) => (offers(model, band, step) ? stakeOf(band, step) : 0)),
  );
  return Math.max(...stakes) / model.denomination;
}
