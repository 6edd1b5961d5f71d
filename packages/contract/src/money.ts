import * as z from "zod/mini";

/** The largest amount any wire field may carry, in minor units: ninety billion of the currency, far below 2^53. */
export const AMOUNT_MINOR_MAX = 9_000_000_000_000;

/** A signed integer number of minor units (kuruş). Source: contract.md, "Units". */
export const SignedMinor = z.number().check(
  z.refine((value) => Number.isSafeInteger(value), "must be an integer in minor units"),
  z.gte(-AMOUNT_MINOR_MAX),
  z.lte(AMOUNT_MINOR_MAX),
);

/** A non-negative integer number of minor units. */
export const Minor = SignedMinor.check(z.gte(0));

/** A positive integer number of minor units: what a transfer may ask for. */
export const PositiveMinor = SignedMinor.check(z.gte(1));

/** Minor units in one unit of currency. Every amount of the specification is divided by it for display. */
export const MINOR_PER_UNIT = 100;

/** Whole currency units (as in Settings.json) to minor units. */
export function unitsToMinor(units: number): number {
  return Math.round(units * MINOR_PER_UNIT);
}
