import type { LimitKind, Standing } from "../../../modules/players/limits/index.ts";
import { writeAmount } from "../../amount.ts";
import { timeText } from "../../output/table.ts";

const WHOSE = { player: "the player's own", house: "the house's" } as const;

/** A limit's value in words. */
export function limitValue(kind: LimitKind, value: number | null): string {
  if (value === null) return "none";
  return {
    cashIn: () => `${writeAmount(value)} onto machines in 24 hours`,
    loss: () => `${writeAmount(value)} lost in 24 hours`,
    session: () => `${value} minutes of one play session`,
    exclusion: () => `no play until ${timeText(new Date(value))} UTC`,
  }[kind]();
}

/** One limit as a sentence. */
export function limitLine({ kind, owner, value, effectiveAt, setBy, holds }: Standing): string {
  const from = holds ? "" : `, from ${timeText(effectiveAt)} UTC on`;
  return `${kind}: ${limitValue(kind, value)} (${WHOSE[owner]}, set by ${setBy}${from})`;
}
