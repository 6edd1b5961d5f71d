import type { Spin } from "../game/draw.ts";
import type { Stage } from "../game/reveal.ts";

/** What the painter must know of a machine, without waiting. Amounts in minor units, times in ms on the machine's clock. */
export type GlassView = {
  readonly meters: {
    readonly credit: number;
    readonly bet: number;
    readonly win: number;
    readonly inGame: boolean;
    readonly bonus: boolean;
    readonly jackpots: readonly { readonly name: string; readonly amount: number }[];
    /** Any reason why the machine refuses play; `disabled` and `outOfService` darken the glass. */
    readonly lockup?: string;
    /** Hand pays that wait, the oldest first. */
    readonly handPays: readonly { readonly amount: number }[];
  };
  /** The words of a fault, in the letters of the title; empty: no fault. */
  readonly notice: string;
  readonly stage: Stage | null;
  /** Free spins of the game in progress. */
  readonly freeSpinsTotal: number;
  /** The reels before the turn that is shown, and the turn itself (or the last one). */
  readonly fromStops: readonly number[];
  readonly stops: readonly number[];
  readonly spin: Spin | null;
  /** Amounts of the bonus picks seen so far. */
  readonly picks: readonly number[];
  /** When the turn of the reels that is shown began, ms; 0 after power up. */
  readonly turnAt: number;
  /** When the last game ended, ms; 0 after power up. */
  readonly restAt: number;
  /** Presses that had an effect since power up: the time code's marker. */
  readonly presses: number;
};

/** `text` in the letters that the glass has, at most 24 of them. */
export function printable(text: string): string {
  return text
    .toUpperCase()
    .replace(/[^A-Z0-9 .,:/+-]/g, " ")
    .slice(0, 24)
    .trim();
}
