/** How large a win is beside its stake: 0 is nothing to celebrate, for it is not more than the game cost. */
export type WinLevel = 0 | 1 | 2 | 3;

/** Ten and fifty times the stake are what machines themselves make more of. */
const LARGE = 10;
const HUGE = 50;

/** Amounts in minor units. A free game has no stake of its own: `stake` is then that of the game that brought it. */
export function winLevel(win: number, stake: number): WinLevel {
  if (win <= stake) return 0;
  if (win < stake * LARGE) return 1;
  return win < stake * HUGE ? 2 : 3;
}
