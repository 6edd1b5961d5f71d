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
