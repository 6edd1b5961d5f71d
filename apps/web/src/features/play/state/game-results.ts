import type { PageEvent } from "@longarm/contract/game-socket";
import type { Meters } from "@longarm/contract/machine";
import type { Stop, Timers } from "@longarm/link/socket";

/** A jackpot that was just won here. `amount` in minor units. */
export type Jackpot = { readonly name: string; readonly amount: number };

/** What a single set of meters does not show. */
export type GameNews = {
  readonly jackpot: Jackpot | undefined;
  /** The stake of the game whose win is shown, minor units; the meters hold the stake of the next game only. Undefined: the machine does not say. */
  readonly stake: number | undefined;
};

export const NO_NEWS: GameNews = { jackpot: undefined, stake: 0 };

/** A jackpot is shown for this long, ms, or until the next game begins. */
export const JACKPOT_MS = 30_000;

/** Keeps what the machine reported once, for as long as it matters. */
export class MachineNews {
  readonly #timers: Timers;
  readonly #changed: (news: Partial<GameNews>) => void;
  #before: Meters | undefined;
  #stop: Stop = () => {};

  constructor(timers: Timers, changed: (news: Partial<GameNews>) => void) {
    this.#timers = timers;
    this.#changed = changed;
  }

  event({ kind, name = "", amount = 0 }: PageEvent): void {
    if (kind !== "jackpot" || amount === 0) return;
    this.#changed({ jackpot: { name, amount } });
    this.#stop();
    this.#stop = this.#timers.after(JACKPOT_MS, () => this.#changed({ jackpot: undefined }));
  }

  /** Returns what changes with these meters. */
  update(meters: Meters): Partial<GameNews> {
    const before = this.#before;
    this.#before = meters;
    if (before === undefined) return { stake: meters.bet };
    if (meters.inGame && !before.inGame) {
      this.#stop();
      return { stake: before.bet, jackpot: undefined };
    }
    const isComplete = !meters.inGame && meters.gamesPlayed > before.gamesPlayed;
    // A game too quick to be reported while it ran.
    return isComplete && !before.inGame ? { stake: before.bet } : {};
  }

  end(): void {
    this.#stop();
  }
}

/**
 * What a play session won or lost so far, minor units. The platform sends it with the seat; from then on the credit meter shows it, from
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

  /** The net with these meters; undefined before the platform sent the first one. */
  update({ credit, bet, gamesPlayed, inGame, handPay }: Meters): number | undefined {
    const rest = this.#rest;
    // The stake of a running game has left the credit already, and is not yet in the platform's figure; without it no net is known until the next seat.
    if (rest === undefined && inGame && bet === undefined) this.#net = undefined;
    if (rest === undefined) this.#rest = { credit: inGame ? credit + (bet ?? 0) : credit, gamesPlayed };
    else if (!inGame) {
      // A hand pay goes to the wallet and not through the credit.
      const byHand = handPay === undefined || handPay.kind === "cancelledCredits" ? 0 : handPay.amount;
      if (this.#net !== undefined && gamesPlayed > rest.gamesPlayed) this.#net += credit - rest.credit + byHand;
      this.#rest = { credit, gamesPlayed };
    }
    return this.#net;
  }
}

/** How large a win is compared with its stake: 0 is not celebrated, for it is not more than the stake. */
export type WinLevel = 0 | 1 | 2 | 3;

/** Machines themselves celebrate ten and fifty times the stake. */
const LARGE = 10;
const HUGE = 50;

/** Amounts in minor units. A free game has no stake of its own: `stake` is then that of the game that brought it. An unknown stake: the win may be less, so it is not celebrated. */
export function winLevel(win: number, stake: number | undefined): WinLevel {
  if (stake === undefined || win <= stake) return 0;
  if (win < stake * LARGE) return 1;
  return win < stake * HUGE ? 2 : 3;
}
