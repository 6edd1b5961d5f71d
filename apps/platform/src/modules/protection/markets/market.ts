import type { RuleName, Rules, Source, Sourced } from "./rules.ts";

export const MARKET_IDS = ["none", "gb", "de", "se", "ca-on", "mt", "us-nj", "lab"] as const;
export type MarketId = (typeof MARKET_IDS)[number];

/** A market as data: each rule with its source. */
export type Market = {
  readonly id: MarketId;
  /** In English; `lab` is for tests. */
  readonly name: string;
  /** ISO 4217 code of the amounts in its rules; null: it has none. */
  readonly currency: string | null;
  readonly rules: { readonly [K in RuleName]: Sourced<Rules[K]> };
};

/** A value that no document of the market prescribes. */
export const ours = <T>(value: T): Sourced<T> => ({ value, source: null });

/** Writes rules of one document: `by("2025-01-17", "text")("RTS 14D", 2_500)`. */
export function by(version: string, seen: Source["seen"]): <T>(clause: string, value: T) => Sourced<T> {
  return (clause, value) => ({ value, source: { clause, version, seen } });
}
