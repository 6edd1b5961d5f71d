import type { Clock } from "../../../clock.ts";

/** Offers that a socket may make at once: a restart on a bad network, and one more. */
export const OFFERS_AT_ONCE = 4;
/** After those, one for each of these, ms. A page waits longer than that for an answer. */
export const OFFER_EVERY_MS = 2_000;
const OF_A_SOCKET = { atOnce: OFFERS_AT_ONCE, everyMs: OFFER_EVERY_MS };
/** Of one account at the machines it plays, over all its sockets: each new socket brings an offer of its own, on a bad network one a second, and who looks at many machines must not wait. */
export const PLAYER_OFFERS = { atOnce: 60, everyMs: 1_000 };
/** Of one account as a spectator, over all its sockets. */
export const SPECTATOR_OFFERS = { atOnce: 4, everyMs: 5_000 };
/** Accounts whose offers are remembered; the one that was silent the longest is forgotten first. */
const ACCOUNTS_MAX = 10_000;

type Rate = { readonly atOnce: number; readonly everyMs: number };

/**
 * How often one game socket may make an offer. Each makes its agent gather addresses and send them, on the link that carries the
 * presses and the money of all its machines. Returns how long to wait, ms; 0: the offer may go on.
 */
export function createOfferLimit(clock: Clock, { atOnce, everyMs }: Rate = OF_A_SOCKET): () => number {
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

/** How often one account may make an offer: a socket that is closed and opened again must not begin afresh. */
export class AccountOffers {
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #limits = new Map<string, () => number>();

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** Returns how long the account has to wait with its offer, ms; 0: the offer may go on, and is counted. */
  wait(playerId: string): number {
    const limit = this.#limits.get(playerId) ?? createOfferLimit(this.#clock, this.#rate);
    this.#limits.delete(playerId);
    this.#limits.set(playerId, limit);
    if (this.#limits.size > ACCOUNTS_MAX)
      for (const [oldest] of this.#limits.entries().take(1)) this.#limits.delete(oldest);
    return limit();
  }
}

/** Candidates that one offer of a spectator may bring; a browser finds a handful. */
const CANDIDATES_PER_OFFER = 32;

/**
 * Counts a spectator's candidates: how many more its last offer may bring; without an offer none. They go over the link that carries the
 * player's presses and money.
 */
export class CandidateCount {
  #left = 0;

  begin(): void {
    this.#left = CANDIDATES_PER_OFFER;
  }

  /** Whether one more may go to the agent. */
  take(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}
