import type { GameOutcome } from "./draw.ts";
import { drawGame, outcomeWin } from "./draw.ts";
import type { Strip } from "./strips.ts";

/** What somebody who tries the machine can wish for of its next game. */
export type Wish = "handpay" | "bonus" | "freespins" | "jackpot";

/** A drawn game. `handPayFrom`: this one game is paid by hand from there on, minor units. */
export type Dealt = { outcome: GameOutcome; handPayFrom?: number };

/** Draws the games of one machine: by its seed, unless one was wished for. A wish does not outlive power. */
export type Dealer = {
  deal(gameNumber: number, stake: number): Dealt;
  /** The game that was dealt has begun, so the wish is granted. */
  begun(): void;
  /** The last wish counts; null takes it back. */
  wish(wish: Wish | null): void;
};

/** Draws until one fits; far more than even the rarest kind needs. */
const TRIES_MAX = 100_000;
/** A wished hand pay is a win of at least this many stakes. */
const HAND_PAY_STAKES = 5;

export function createDealer(seed: string, strips: readonly Strip[]): Dealer {
  let wished: Wish | null = null;
  return {
    deal: (gameNumber, stake) =>
      wished === null
        ? { outcome: drawGame(seed, strips, gameNumber, stake) }
        : dealWished(wished, (n) => drawGame(`${seed}/wish/${n}`, strips, gameNumber, stake), stake),
    begun: () => {
      wished = null;
    },
    wish: (wish) => {
      wished = wish;
    },
  };
}

function dealWished(wish: Wish, draw: (n: number) => GameOutcome, stake: number): Dealt {
  const outcome = firstThat(draw, fits[wish], stake);
  if (wish === "handpay") return { outcome, handPayFrom: 1 };
  return wish === "jackpot" ? { outcome: { ...outcome, jackpots: ["GRAND"] } } : { outcome };
}

/** One thing at a time, so that what was wished for is what is seen. */
const fits: Readonly<Record<Wish, (outcome: GameOutcome, stake: number) => boolean>> = {
  bonus: ({ spins, picks, jackpots }) => picks.length > 0 && spins.length === 1 && jackpots.length === 0,
  freespins: ({ spins, picks, jackpots }) => spins.length > 1 && picks.length === 0 && jackpots.length === 0,
  jackpot: ({ spins, picks }) => spins.length === 1 && picks.length === 0,
  handpay: (outcome, stake) =>
    fits.jackpot(outcome, stake) && outcome.jackpots.length === 0 && outcomeWin(outcome) >= HAND_PAY_STAKES * stake,
};

function firstThat(
  draw: (n: number) => GameOutcome,
  suits: (outcome: GameOutcome, stake: number) => boolean,
  stake: number,
): GameOutcome {
  for (let n = 0; n < TRIES_MAX; n += 1) {
    const outcome = draw(n);
    if (suits(outcome, stake)) return outcome;
  }
  throw new Error(`no game of the wanted kind in ${TRIES_MAX}`);
}
