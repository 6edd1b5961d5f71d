import type { Role } from "./rules.ts";
import { BONUS_REELS, LINE_PRIZES, LINES, REELS, ROWS, SCATTER_PRIZES } from "./rules.ts";
import type { Strip } from "./strips.ts";

/** What the glass shows: `window[reel][row]`. */
export type Window = readonly (readonly Role[])[];

export type LineWin = { line: number; count: number; prize: number };

/** `lineUnits` counts in line stakes, `scatterUnits` in whole stakes. */
export type SpinResult = {
  lines: LineWin[];
  lineUnits: number;
  scatters: number;
  scatterUnits: number;
  bonus: boolean;
};

export function windowAt(strips: readonly Strip[], stops: readonly number[]): Window {
  return strips.map((strip, reel) =>
    Array.from({ length: ROWS }, (_, row) => strip[((stops[reel] ?? 0) + row) % strip.length] as Role),
  );
}

/** The best prize of one line from the left; `top` stands for any paying symbol. 0 units when the line pays nothing. */
export function linePrize(symbols: readonly Role[]): { count: number; prize: number } {
  let best = { count: 0, prize: 0 };
  for (const [role, prizes] of Object.entries(LINE_PRIZES)) {
    let count = 0;
    while (count < REELS && (symbols[count] === role || symbols[count] === "top")) count += 1;
    const prize = count >= 3 ? (prizes[count - 3] ?? 0) : 0;
    if (prize > best.prize) best = { count, prize };
  }
  return best;
}

/** All prizes of one window. */
export function evaluate(window: Window): SpinResult {
  const lines: LineWin[] = [];
  for (const [line, rows] of LINES.entries()) {
    const win = linePrize(rows.map((row, reel) => window[reel]?.[row] as Role));
    if (win.prize > 0) lines.push({ line, ...win });
  }
  const scatters = window.filter((reel) => reel.includes("scatter")).length;
  return {
    lines,
    lineUnits: lines.reduce((sum, win) => sum + win.prize, 0),
    scatters,
    scatterUnits: scatters >= 3 ? (SCATTER_PRIZES[scatters - 3] ?? 0) : 0,
    bonus: BONUS_REELS.every((reel) => window[reel]?.includes("bonus")),
  };
}
