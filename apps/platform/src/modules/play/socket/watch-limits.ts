import type { Clock } from "../../../clock.ts";
import { createOfferLimit } from "./offer-limit.ts";

/** Offers that one account may make at once as a spectator, over all its sockets; after those one for each of these, ms. */
const SPECTATOR_OFFERS = { atOnce: 4, everyMs: 5_000 };
/** Candidates that one offer of a spectator may bring; a browser finds a handful. */
const CANDIDATES_PER_OFFER = 32;
/** Accounts whose offers are remembered; the one that was silent the longest is forgotten first. */
const ACCOUNTS_MAX = 10_000;

/**
 * What spectators may ask of a machine's agent. Everything they ask goes over the link that carries the player's presses and money, and
 * a socket that is closed and opened again must not begin afresh: so it is counted by account.
 */
export class WatchLimits {
  readonly #clock: Clock;
  readonly #offers = new Map<string, () => number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers how long the account has to wait with its offer, ms; 0: the offer may go on, and is counted. */
  offer(playerId: string): number {
    const limit = this.#offers.get(playerId) ?? createOfferLimit(this.#clock, SPECTATOR_OFFERS);
    this.#offers.delete(playerId);
    this.#offers.set(playerId, limit);
    if (this.#offers.size > ACCOUNTS_MAX)
      for (const [oldest] of this.#offers.entries().take(1)) this.#offers.delete(oldest);
    return limit();
  }
}

/** Counts a spectator's candidates: how many more its last offer may bring. */
export class CandidateCount {
  #left = CANDIDATES_PER_OFFER;

  begin(): void {
    this.#left = CANDIDATES_PER_OFFER;
  }

  /** Whether one more may go to the agent. */
  take(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}
