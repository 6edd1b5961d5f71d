import { CONTROL_SILENT_MS } from "../picture/readout.ts";

/**
 * A link that is too poor to play fairly, by what the player can see. Without a picture for a second nobody sees what a press did; and a
 * picture that is a second old shows another game than the one pressed for, while a press that travels half of that is refused as stale.
 */
export const FAIR_GAP_MS_MAX = 1_000;
/** Glass to glass, median of two seconds, ms. */
export const FAIR_DELAY_MS_MAX = 1_000;

export type FairFacts = {
  /** Since the last picture, ms. */
  readonly missingMs: number;
  /** Unknown before the first pictures and where nothing tells it. */
  readonly delayMs: number | undefined;
  /** Since the agent answered last beside the picture, ms; undefined: it was never asked, and presses go by the platform. */
  readonly controlMs: number | undefined;
  readonly online: boolean;
};

export function isFair({ missingMs, delayMs, controlMs, online }: FairFacts): boolean {
  const isHeard = controlMs === undefined ? online : controlMs < CONTROL_SILENT_MS;
  return isHeard && missingMs < FAIR_GAP_MS_MAX && (delayMs === undefined || delayMs < FAIR_DELAY_MS_MAX);
}
