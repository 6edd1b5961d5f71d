/** How the reels of one turn move. All times in ms since the turn began. */
export type Turn = { spinMs: number; reel: number };

/** When each reel stops: one after the other, the last one at the end of the turn. */
export function stopsAt({ spinMs, reel }: Turn): number {
  return spinMs * (0.48 + 0.13 * reel);
}

/** Symbols a reel passes in one turn, by the length of its run: about 22 a second. */
export function symbolsPassed(turn: Turn): number {
  return Math.max(4, Math.round((stopsAt(turn) / 1_000) * 22));
}

const RISE_MS = 140;
const BOUNCE_MS = 200;
const BOUNCE = 0.13;

/** Whether a reel still moves (the small bounce after its stop included). */
export function moves(turn: Turn, elapsedMs: number): boolean {
  return elapsedMs < stopsAt(turn) + BOUNCE_MS;
}

/** Symbols still to pass until the reel stops; below 0 while it bounces past its place. */
export function symbolsLeft(turn: Turn, elapsedMs: number): number {
  const total = symbolsPassed(turn);
  const end = stopsAt(turn);
  if (elapsedMs >= end) {
    const share = Math.min((elapsedMs - end) / BOUNCE_MS, 1);
    return -BOUNCE * Math.sin(Math.PI * share) * (1 - share);
  }
  const rise = Math.min(RISE_MS, end / 4);
  const speed = total / (end - rise / 2);
  const passed = elapsedMs < rise ? (speed * elapsedMs * elapsedMs) / (2 * rise) : speed * (elapsedMs - rise / 2);
  return Math.max(total - passed, 0);
}

/** Whether the symbols smear: in full run, not while it starts. */
export function smears(turn: Turn, elapsedMs: number): boolean {
  return elapsedMs > 90 && elapsedMs < stopsAt(turn);
}
