import type { PressReason } from "@longarm/contract/data-channel";
import type { HoldReason, PlayRules } from "@longarm/contract/player-protection";
import type { Clock } from "../ports/clock.ts";
import type { EgmDescription } from "../ports/egm.ts";
import type { Grants } from "./grants.ts";

/** What a press says of itself, as far as rules judge it. */
type JudgedPress = {
  /** The stake the player saw, minor units. */
  readonly stake?: number | undefined;
};

/** A game that the machine has reported. `stake` in minor units, `startedAt` ms since 1970. */
type ReportedGame = { readonly stake: number; readonly startedAt: number };

type PaidGamesDeps = {
  readonly grants: Pick<Grants, "rules" | "held">;
  readonly description: Pick<EgmDescription, "capabilities">;
  readonly clock: Clock;
  /** When the newest picture that went to a viewer was taken, ms by the agent's clock; undefined: none went yet. */
  readonly picturedAt: () => number | undefined;
  /** A sentence for the log. */
  readonly problem?: (sentence: string) => void;
};

/** Whether a paid game may start by the rules that protect the player of the seat. It knows the machine's games of every seat: a new holder waits too. */
export interface PaidGames {
  /** Why this press may start no game now; undefined: it may. What finishes a game in progress is free. */
  obstacle(press: JudgedPress): PressReason | undefined;
  /** A press may have started a game, which the machine answered just now or not at all. */
  started(): void;
  /** A key that may change the stake was pressed: what the last game cost says nothing of the next. */
  chosen(): void;
  /** Another key than that of the wager was pressed. */
  pressed(key: string): void;
  /** Whether a key that is no wager by the panel's list has started a game before: it is judged as one. */
  starts(key: string): boolean;
  /** The machine reported the start of a game. */
  reported(game: ReportedGame): void;
}

const HELD: Readonly<Record<HoldReason, PressReason>> = {
  realityCheck: "reality check",
  limit: "limit reached",
  break: "break",
};

/** How long the report of a game is awaited whose stake the machine did not say before, ms. */
const REPORT_MS = 3_000;

/** A game that a wager has started is reported within this time after it, ms. */
const EXPLAINED_MS = 5_000;

/**
 * Rules count from a moment that is never before the machine's own start of the game: its answer, or its report. A driver that was opened just now may
 * have missed one, so the least time counts from its opening too.
 */
export function createPaidGames({
  grants,
  description,
  clock,
  picturedAt,
  problem = () => undefined,
}: PaidGamesDeps): PaidGames {
  let lastStart = clock.now();
  /** Of a machine that does not say the stake of its next game: that of the last, until a key that may change it. */
  let lastStake: number | undefined;
  let isUnreported = false;
  let lastWager = Number.NEGATIVE_INFINITY;
  let lastKey: { readonly key: string; readonly at: number } | undefined;
  const starters = new Set<string>();
  const isBlind = !description.capabilities.nextStake;

  function stakeObstacle({ maxStake }: PlayRules, { stake = 0 }: JudgedPress): PressReason | undefined {
    if (maxStake === undefined) return undefined;
    if (stake > maxStake || (isBlind && (lastStake ?? 0) > maxStake)) return "stakeAboveLimit";
    return isBlind && isUnreported && clock.now() - lastStart < REPORT_MS ? "too soon" : undefined;
  }

  const isUnseen = ({ pictureMsMax }: PlayRules): boolean => {
    if (pictureMsMax === undefined) return false;
    const at = picturedAt();
    return at === undefined || clock.now() - at > pictureMsMax;
  };

  return {
    obstacle: (press) => {
      const rules = grants.rules();
      if (rules === undefined) return undefined;
      const hold = grants.held();
      if (hold !== undefined) return HELD[hold];
      if (isUnseen(rules)) return "picture too old";
      return stakeObstacle(rules, press) ?? (clock.now() - lastStart < rules.minCycleMs ? "too soon" : undefined);
    },
    pressed: (key) => {
      lastKey = { key, at: clock.now() };
    },
    starts: (key) => starters.has(key),
    started: () => {
      lastStart = clock.now();
      lastWager = lastStart;
      isUnreported = true;
    },
    chosen: () => {
      lastStake = undefined;
    },
    reported: ({ stake, startedAt }) => {
      // A machine may stamp its events by a clock of its own that is fast.
      lastStart = Math.max(lastStart, Math.min(startedAt, clock.now()));
      lastStake = stake;
      isUnreported = false;
      const now = clock.now();
      // A key that begins a game by itself, as MAX BET does on many cabinets.
      if (lastKey === undefined || now - lastWager < EXPLAINED_MS || now - lastKey.at >= EXPLAINED_MS) return;
      if (!starters.has(lastKey.key))
        problem(`The key "${lastKey.key}" started a game: from now on it is judged as a wager. List it as one.`);
      starters.add(lastKey.key);
    },
  };
}
