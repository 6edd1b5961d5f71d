import { AMOUNT_MINOR_MAX, MINOR_PER_UNIT } from "@longarm/contract/money";
import { UsageProblem } from "./command.ts";

/**
 * Reads an amount of money, to minor units: `250.00` or `250,00` in the currency, or `25000minor`. A bare `250` could be either, and a hundred
 * times too much is not a mistake to make by habit.
 * @throws UsageProblem.
 */
export function readAmount(option: string, text: string): number {
  const [, units, cents] = /^(\d{1,15})[.,](\d\d)$/.exec(text) ?? [];
  const [, minor] = /^(\d{1,15})minor$/.exec(text) ?? [];
  const amount = Number(minor ?? `${units ?? "x"}${cents}`);
  if (amount >= 1 && amount <= AMOUNT_MINOR_MAX) return amount;
  throw new UsageProblem(
    Number.isNaN(amount)
      ? `--${option} must be like 250.00 (with two decimals) or 25000minor, not "${text.slice(0, 40)}".`
      : `--${option} must be from 0.01 to ${writeAmount(AMOUNT_MINOR_MAX)}.`,
  );
}

/** `25000` → `250.00`. */
export function writeAmount(amountMinor: number): string {
  return (amountMinor / MINOR_PER_UNIT).toFixed(2);
}

/** Reads a whole number between two bounds. @throws UsageProblem. */
export function readWholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageProblem(`--${option} must be a whole number from ${least} to ${most}, not "${text.slice(0, 40)}".`);
}
