import type { LineWin } from "./evaluate.ts";
import { evaluate, windowAt } from "./evaluate.ts";
import type { Random } from "./random.ts";
import { randomOf } from "./random.ts";
import { BONUS_PICKS, BONUS_PRIZES, FREE_SPIN_FACTOR, FREE_SPINS, JACKPOTS, LINES } from "./rules.ts";
import type { Strip } from "./strips.ts";

/** One turn of the reels and what it paid, minor units. */
export type Spin = { stops: number[]; win: number; lines: LineWin[]; scatters: number; free: boolean };

/** Everything one game brings, drawn at once when it starts: the reels, picks and counters only reveal it. */
export type GameOutcome = {
  spins: Spin[];
  /** Amount of each pick, empty without a bonus. */
  picks: number[];
  /** Names of the jackpots hit; their amounts are those of the counters when the game starts. */
  jackpots: string[];
};

function spin(strips: readonly Strip[], random: Random, stake: number, free: boolean): Spin & { bonus: boolean } {
  const stops = strips.map((strip) => random.whole(strip.length));
  const result = evaluate(windowAt(strips, stops));
  const lineStake = stake / LINES.length;
  const win = (result.lineUnits * lineStake + result.scatterUnits * stake) * (free ? FREE_SPIN_FACTOR : 1);
  return { stops, win, lines: result.lines, scatters: result.scatters, free, bonus: result.bonus };
}

function pick(random: Random): number {
  let at = random.whole(BONUS_PRIZES.reduce((sum, entry) => sum + entry.weight, 0));
  for (const entry of BONUS_PRIZES) {
    if (at < entry.weight) return entry.prize;
    at -= entry.weight;
  }
  throw new RangeError("the weights of the bonus do not add up");
}

/** Draws game `gameNumber` of the machine with this seed. `stake` is a multiple of the number of lines. */
export function drawGame(seed: string, strips: readonly Strip[], gameNumber: number, stake: number): GameOutcome {
  const random = randomOf(seed, `game/${gameNumber}`);
  const { bonus, ...paid } = spin(strips, random, stake, false);
  const spins: Spin[] = [paid];
  const free = paid.scatters >= 3 ? (FREE_SPINS[paid.scatters - 3] ?? 0) : 0;
  for (let n = 0; n < free; n += 1) {
    const { bonus: _, ...turn } = spin(strips, random, stake, true);
    spins.push(turn);
  }
  const picks = bonus ? Array.from({ length: BONUS_PICKS }, () => pick(random) * stake) : [];
  const jackpots = JACKPOTS.filter((jackpot) => random.whole(jackpot.oneIn) < stake).map((jackpot) => jackpot.name);
  return { spins, picks, jackpots };
}

/** What the game pays without jackpots, minor units. */
export function outcomeWin(outcome: GameOutcome): number {
  return (
    outcome.spins.reduce((sum, turn) => sum + turn.win, 0) + outcome.picks.reduce((sum, amount) => sum + amount, 0)
  );
}
