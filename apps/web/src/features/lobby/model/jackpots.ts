import type { Brand } from "@longarm/contract/machine";
import { shownName } from "./shown-name.ts";

/** One jackpot counter. */
export type JackpotView = {
  readonly key: string;
  readonly brand: string;
  /** The platform's name of it, or undefined: then it is numbered. */
  readonly name: string | undefined;
  /** From 1. */
  readonly number: number;
  readonly minor: number;
  readonly hot: boolean;
};

/** A brand's jackpots: a comma-separated text in minor units, or a list. What is no amount is left out. */
export function jackpotsOf(brand: Brand, hotAboveMinor: number): JackpotView[] {
  const raw = Array.isArray(brand.jackpot) ? brand.jackpot : (brand.jackpot ?? "").split(",");
  return raw.flatMap((part, index) => {
    const text = String(part).trim();
    const minor = Number(text);
    if (text === "" || !Number.isSafeInteger(minor) || minor < 0) return [];
    const name = brand.jackpotNames?.[index] || undefined;
    const view = { key: `${brand.id}.${index}`, brand: shownName(brand), name, number: index + 1, minor };
    return [{ ...view, hot: minor > hotAboveMinor }];
  });
}

/** Without a chosen brand: the largest of each, largest first. */
export function largestJackpots(brands: readonly Brand[], hotAboveMinor: number): JackpotView[] {
  const largest = brands.flatMap((brand) => {
    const all = jackpotsOf(brand, hotAboveMinor);
    const top = all.toSorted((a, b) => b.minor - a.minor)[0];
    return top === undefined ? [] : [top];
  });
  return largest.toSorted((a, b) => b.minor - a.minor);
}
