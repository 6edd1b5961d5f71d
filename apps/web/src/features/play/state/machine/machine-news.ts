import type { PageEvent } from "@longarm/contract/game-socket";
import type { Meters } from "@longarm/contract/machine";
import type { Stop, Timers } from "@longarm/link/socket";

/** A jackpot that was just won here. `amount` in minor units. */
export type Jackpot = { readonly name: string; readonly amount: number };

/** What meters alone do not say of the machine. */
export type News = {
  readonly jackpot: Jackpot | undefined;
  /** What the game whose win is shown had cost, minor units; the meters tell the stake of the next one only. */
  readonly stake: number;
};

export const NO_NEWS: News = { jackpot: undefined, stake: 0 };

/** A jackpot is said for this long, ms, or until the next game begins. */
export const JACKPOT_MS = 30_000;

/** Keeps what the machine told once, for as long as it matters. */
export class MachineNews {
  readonly #timers: Timers;
  readonly #tell: (news: Partial<News>) => void;
  #before: Meters | undefined;
  #stop: Stop = () => {};

  constructor(timers: Timers, tell: (news: Partial<News>) => void) {
    this.#timers = timers;
    this.#tell = tell;
  }

  event({ kind, name = "", amount = 0 }: PageEvent): void {
    if (kind !== "jackpot" || amount === 0) return;
    this.#tell({ jackpot: { name, amount } });
    this.#stop();
    this.#stop = this.#timers.after(JACKPOT_MS, () => this.#tell({ jackpot: undefined }));
  }

  meters(meters: Meters): void {
    const before = this.#before;
    this.#before = meters;
    if (before === undefined) this.#tell({ stake: meters.bet });
    else if (meters.inGame && !before.inGame) {
      this.#stop();
      this.#tell({ stake: before.bet, jackpot: undefined });
    }
    // Too quick to be seen running.
    else if (!meters.inGame && !before.inGame && meters.gamesPlayed > before.gamesPlayed)
      this.#tell({ stake: before.bet });
  }

  end(): void {
    this.#stop();
  }
}
