import type { State } from "../machine/state.ts";
import { sumOf } from "../machine/state.ts";
import { bcd } from "./bytes.ts";

/** Meters that the machine reads from elsewhere than its counters. */
const DERIVED: Readonly<Record<string, (state: State, denomination: number) => number>> = {
  "0c": ({ credits }, denomination) => Math.floor(sumOf(credits) / denomination),
  "1b": ({ credits }, denomination) => Math.floor(credits.restricted / denomination),
  "22": ({ meters }) => sum(meters, ["1c", "1d", "1e", "1f", "20", "21"]),
  "23": ({ meters }) => sum(meters, ["02", "03"]),
};

const sum = (meters: Readonly<Record<string, number>>, codes: readonly string[]): number =>
  codes.reduce((total, code) => total + (meters[code] ?? 0), 0);

/** Counters in credits or counts (four BCD bytes), by ranges of codes. */
const FOUR: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x07],
  [0x0b, 0x0c],
  [0x11, 0x18],
  [0x1b, 0x26],
  [0x2e, 0x2e],
  [0x32, 0x32],
  [0x40, 0x4f],
];
/** In minor units (five BCD bytes), and beside each its count at the next code (four). */
const PAIRS: readonly number[] = [0xa0, 0xa2, 0xa4, 0xa6, 0xb8, 0xba, 0xbc];
const FIVE: ReadonlySet<number> = new Set([0x0d, 0x0e, 0x0f, 0x10, ...PAIRS]);

/** BCD bytes of a meter; 0: this machine has none of this code. */
export function meterSize(code: number): 0 | 4 | 5 {
  if (FIVE.has(code)) return 5;
  const four = FOUR.some(([from, to]) => code >= from && code <= to) || PAIRS.includes(code - 1);
  return four ? 4 : 0;
}

export const meterKey = (code: number): string => code.toString(16).padStart(2, "0");

/** The value without its rollover. */
export function meterValue(state: State, code: number, denomination: number): number {
  const key = meterKey(code);
  return DERIVED[key]?.(state, denomination) ?? state.meters[key] ?? 0;
}

/** As it is sent; a meter that is full starts again at 0. */
export const meterBytes = (state: State, code: number, denomination: number): number[] =>
  bcd(meterValue(state, code, denomination), meterSize(code));

/** Counters of this machine that have no code of SAS; long poll 1C reads them. */
export const DOORS_OPENED = 0x100;
export const POWER_RESETS = 0x101;

/** Meters kept for one game apart from the machine's. */
export const GAME_METERS: ReadonlySet<number> = new Set([0, 1, 2, 5, 6, 7, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x21, 0x22]);
