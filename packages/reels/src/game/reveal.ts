import type { GameOutcome } from "./draw.ts";

/** How long the machine takes to show things, ms. */
export type Pace = { spinMs: number; gapMs: number; pickMs: number; bonusIntroMs: number; bonusOutroMs: number };

/** The pace of a real machine, quicker only when the venue's least cycle is (tests). */
export function paceOf(minCycleMs: number): Pace {
  const scale = Math.min(1, minCycleMs / 2_500);
  return {
    spinMs: 1_900 * scale,
    gapMs: 900 * scale,
    pickMs: 4_000 * scale,
    bonusIntroMs: 1_400 * scale,
    bonusOutroMs: 1_600 * scale,
  };
}

/** A clock in milliseconds; `after` answers how to cancel. */
export type RevealClock = { now(): number; after(delayMs: number, run: () => void): () => void };

/** A game whose outcome is drawn. */
export type RevealedGame = { readonly outcome: GameOutcome };

/** What the glass shows of a game whose outcome is drawn already. */
export type Stage = {
  /** When the turn of the reels that is shown began. */
  spinAt: number;
  startedAt: number;
} & ({ is: "spin" | "rest"; spin: number } | { is: "bonus"; picked: number });

export type Reveal = {
  stage(): Stage;
  /** Takes the next pick of the bonus now; false when none is waiting. */
  pick(): boolean;
  /** Continues after a fault was cleared. */
  resume(): void;
  stop(): void;
};

type RevealDeps = {
  clock: RevealClock;
  pace: Pace;
  game: RevealedGame;
  /** A fault stops the show where it is. */
  paused(): boolean;
  onStage(stage: Stage): void;
  onEnd(): void;
};

/** Plays the stages of one game in order: the paid spin, the bonus, the free spins. */
export function reveal({ clock, pace, game, paused, onStage, onEnd }: RevealDeps): Reveal {
  const { spins, picks } = game.outcome;
  const begin = clock.now();
  let stage: Stage = { is: "spin", spin: 0, startedAt: begin, spinAt: begin };
  let timer: () => void = () => undefined;
  let held: (() => void) | null = null;

  const later = (delayMs: number, run: () => void): void => {
    timer();
    timer = clock.after(delayMs, () => {
      if (paused()) held = run;
      else run();
    });
  };
  const enter = (next: Stage): void => {
    stage = next;
    onStage(next);
  };
  const spin = (index: number): void => {
    const now = clock.now();
    enter({ is: "spin", spin: index, startedAt: now, spinAt: now });
    later(pace.spinMs, () => afterSpin(index));
  };
  const afterSpin = (index: number): void => {
    const bonusNext = index === 0 && picks.length > 0;
    if (!bonusNext && index + 1 >= spins.length) {
      onEnd();
      return;
    }
    enter({ is: "rest", spin: index, startedAt: clock.now(), spinAt: stage.spinAt });
    later((spins[index]?.win ?? 0) > 0 ? pace.gapMs * 1.6 : pace.gapMs, () =>
      bonusNext ? openBonus() : spin(index + 1),
    );
  };
  const openBonus = (): void => {
    enter({ is: "bonus", picked: 0, startedAt: clock.now(), spinAt: stage.spinAt });
    later(pace.bonusIntroMs + pace.pickMs, takePick);
  };
  const takePick = (): void => {
    if (stage.is !== "bonus") return;
    enter({ ...stage, picked: stage.picked + 1 });
    if (stage.picked < picks.length) later(pace.pickMs, takePick);
    else later(pace.bonusOutroMs, () => (spins.length > 1 ? spin(1) : onEnd()));
  };

  later(pace.spinMs, () => afterSpin(0));
  return {
    stage: () => stage,
    pick() {
      if (stage.is !== "bonus" || stage.picked >= picks.length || paused()) return false;
      takePick();
      return true;
    },
    resume() {
      const run = held;
      held = null;
      run?.();
    },
    stop: () => timer(),
  };
}

/** Win of the spins and picks the player has seen so far. */
export function seenWin(game: RevealedGame, stage: Stage): number {
  const spun = stage.is === "bonus" ? 1 : stage.spin + (stage.is === "rest" ? 1 : 0);
  const pickedBefore = stage.is !== "bonus" && stage.spin > 0 ? game.outcome.picks.length : 0;
  const picked = stage.is === "bonus" ? stage.picked : pickedBefore;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return sum(game.outcome.spins.slice(0, spun).map((spin) => spin.win)) + sum(game.outcome.picks.slice(0, picked));
}

/** Free spins the player has still to see. */
export function freeSpinsLeft(game: RevealedGame, stage: Stage): number {
  if (stage.is === "spin" && stage.spin === 0) return 0;
  return game.outcome.spins.length - 1 - (stage.is === "bonus" ? 0 : stage.spin);
}
