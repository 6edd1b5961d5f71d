import type { Clock } from "../../../clock.ts";

/** Offers that a socket may make at once: a restart on a bad network, and one more. */
export const OFFERS_AT_ONCE = 4;
/** After those, one for each of these, ms. A page waits longer than that for an answer. */
export const OFFER_EVERY_MS = 2_000;
const OF_A_SOCKET = { atOnce: OFFERS_AT_ONCE, everyMs: OFFER_EVERY_MS };

/**
 * How often one game socket may make an offer. Each makes its agent gather addresses and tell them, on the link that carries the
 * presses and the money of all its machines. Answers how long to wait, ms; 0: the offer may go on.
 */
export function createOfferLimit(clock: Clock, { atOnce, everyMs } = OF_A_SOCKET): () => number {
  let left = atOnce;
  let countedAt = clock.now();
  return () => {
    const now = clock.now();
    const more = Math.floor((now - countedAt) / everyMs);
    if (more > 0) {
      left = Math.min(atOnce, left + more);
      countedAt += more * everyMs;
    }
    if (left === 0) return countedAt + everyMs - now;
    left -= 1;
    return 0;
  };
}
