import type { Meters } from "@longarm/contract/machine";

/**
 * What a play session won or lost so far, minor units. The platform tells it with the seat; from then on the credit meter does, from
 * before a game to after it. Between games credit moves by transfers only, and those are neither won nor lost.
 */
export class NetResult {
  #net: number | undefined;
  #rest: { readonly credit: number; readonly gamesPlayed: number } | undefined;

  /** The seat was taken (again). */
  begin(netMinor: number | undefined): void {
    this.#net = netMinor;
    this.#rest = undefined;
  }

  /** The net with these meters; undefined before the platform told where it stands. */
  heard({ credit, bet, gamesPlayed, inGame, handPay }: Meters): number | undefined {
    const rest = this.#rest;
    // The stake of a game that runs is gone from the credit already, and not yet in the platform's figure.
    if (rest === undefined) this.#rest = { credit: inGame ? credit + bet : credit, gamesPlayed };
    else if (!inGame) {
      // What is paid by hand goes to the wallet and past the credit.
      const byHand = handPay === undefined || handPay.kind === "cancelledCredits" ? 0 : handPay.amount;
      if (this.#net !== undefined && gamesPlayed > rest.gamesPlayed) this.#net += credit - rest.credit + byHand;
      this.#rest = { credit, gamesPlayed };
    }
    return this.#net;
  }
}
