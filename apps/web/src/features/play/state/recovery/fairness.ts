/**
 * A link that is too poor to play fairly, by what the player can see. Without a picture for a second nobody sees what a press did; and a
 * picture that is a second old shows another game than the one pressed for, while a press that travels half of that is refused as stale.
 */
export const FAIR_GAP_MS_MAX = 1_000;
/** Glass to glass, median of two seconds, ms. */
export const FAIR_DELAY_MS_MAX = 1_000;

/** `missingMs`: since the last picture. `delayMs`: unknown before the first pictures and where nothing tells it. */
export function isFair(missingMs: number, delayMs: number | undefined): boolean {
  return missingMs < FAIR_GAP_MS_MAX && (delayMs === undefined || delayMs < FAIR_DELAY_MS_MAX);
}
