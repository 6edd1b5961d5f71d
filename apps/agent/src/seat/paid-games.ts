import type { PressReason } from "@longarm/contract/data-channel";
import type { HoldReason, PlayRules } from "@longarm/contract/player-protection";
import type { Clock } from "../ports/clock.ts";
import type { EgmDescription } from "../ports/egm.ts";
import type { Allowance, AllowanceDeps } from "./allowance.ts";
import { createAllowance } from "./allowance.ts";
import type { Grants } from "./grants.ts";

/** What a press says of itself, as far as rules judge it. */
type JudgedPress = {
  /** The stake the player saw, minor units. */
  readonly stake?: number | undefined;
};

/** A game whose start the machine has reported. `stake` in minor units, `startedAt` ms since 1970. */
type ReportedGame = { readonly gameNumber: number; readonly stake: number; readonly startedAt: number };

type PaidGamesDeps = {
  /** The machine's journal as the driver was opened. */
  readonly memory: AllowanceDeps["memory"];
  readonly grants: Pick<Grants, "rules" | "held" | "seat">;
  readonly description: Pick<EgmDescription, "capabilities">;
  readonly clock: Clock;
  /** When the newest picture that went to a viewer was taken, ms by the agent's clock; undefined: none went yet. */
  readonly picturedAt: () => number | undefined;
  /** Whether play is recorded now. Absent: this agent records nothing. */
  readonly isRecorded?: () => boolean;
  /** A sentence for the log. */
  readonly problem?: (sentence: string) => void;
};

/** Whether a paid game may start by the rules that protect the player of the seat. It knows the machine's games of every seat: a new holder waits too. */
export interface PaidGames {
  /** Why this press may start no game now; undefined: it may. What finishes a game in progress is free. */
  obstacle(press: JudgedPress): PressReason | undefined;
  /** A press may have started a game, which the machine answered just now or not at all. */
  started(press: JudgedPress): void;
  /** A key that may change the stake was pressed: what the last game cost says nothing of the next. */
  chosen(): void;
  /** Another key than that of the wager was pressed. */
  pressed(key: string): void;
  /** Whether a key that is no wager by the panel's list has started a game before: it is judged as one. */
  starts(key: string): boolean;
  /** The machine reported the start of a game. */
  reported(game: ReportedGame): void;
  /** The machine reported the end of a game, which has this number in the journal. */
  ended: Allowance["ended"];
}

const HELD: Readonly<Record<HoldReason, PressReason>> = {
  realityCheck: "reality check",
  limit: "limit reached",
  break: "break",
  turn: "turn over",
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
  memory,
  picturedAt,
  isRecorded = () => false,
  problem = () => undefined,
}: PaidGamesDeps): PaidGames {
  let lastStart = clock.now();
  let isUnreported = false;
  let lastWager = Number.NEGATIVE_INFINITY;
  let lastKey: { readonly key: string; readonly at: number } | undefined;
  const starters = new Set<string>();
  const allowance = createAllowance({ clock, memory });
  const stakes = createStakes({ grants, description, problem, allowance });

  /** What the last game cost is not known yet, of a machine that does not say what the next one will. */
  const isUnjudged = ({ maxStake, allowance: limited }: PlayRules): boolean =>
    (maxStake !== undefined || limited !== undefined) &&
    stakes.isBlind &&
    isUnreported &&
    clock.now() - lastStart < REPORT_MS;

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
      if (rules.recorded === true && !isRecorded()) return "play not recorded";
      const isTooSoon = isUnjudged(rules) || clock.now() - lastStart < rules.minCycleMs;
      return stakes.obstacle(rules, press) ?? (isTooSoon ? "too soon" : undefined);
    },
    pressed: (key) => {
      lastKey = { key, at: clock.now() };
    },
    starts: (key) => starters.has(key),
    started: (press) => {
      allowance.started(stakes.nextOf(press));
      lastStart = clock.now();
      lastWager = lastStart;
      isUnreported = true;
    },
    chosen: stakes.chosen,
    ended: allowance.ended,
    reported: ({ gameNumber, stake, startedAt }) => {
      allowance.reported({ gameNumber, stake });
      // A machine may stamp its events by a clock of its own that is fast.
      lastStart = Math.max(lastStart, Math.min(startedAt, clock.now()));
      isUnreported = false;
      stakes.reported(stake);
      const now = clock.now();
      // A key that begins a game by itself, as MAX BET does on many cabinets.
      if (lastKey === undefined || now - lastWager < EXPLAINED_MS || now - lastKey.at >= EXPLAINED_MS) return;
      if (!starters.has(lastKey.key))
        problem(`The key "${lastKey.key}" started a game: from now on it is judged as a wager. List it as one.`);
      starters.add(lastKey.key);
    },
  };
}

/** Judges stakes. Of a machine that does not say the stake of its next game, the last one judges, until a key that may change it. */
function createStakes({
  grants,
  description,
  problem,
  allowance,
}: Pick<PaidGamesDeps, "grants" | "description" | "problem"> & { readonly allowance: Allowance }) {
  const isBlind = !description.capabilities.nextStake;
  let last: number | undefined;
  /** The play session that has had a game above its highest stake at such a machine. The next one may be above it too, so there is none. */
  let closedFor: string | undefined;

  /** What the next game will stake, as far as it is known; 0: not at all. */
  const nextOf = ({ stake = 0 }: JudgedPress): number => Math.max(stake, isBlind ? (last ?? 0) : 0);

  return {
    isBlind,
    nextOf,
    obstacle(rules: PlayRules, press: JudgedPress): PressReason | undefined {
      const left = allowance.left(rules);
      if (left === 0) return "limit reached";
      if (left !== undefined && nextOf(press) > left) return "stakeAboveLimit";
      const { maxStake } = rules;
      if (maxStake === undefined) return undefined;
      if (closedFor !== undefined && closedFor === grants.seat()?.playSessionId) return "stake was above";
      return nextOf(press) > maxStake ? "stakeAboveLimit" : undefined;
    },
    chosen: (): void => {
      last = undefined;
    },
    reported(stake: number): void {
      last = stake;
      const { rules, playSessionId } = grants.seat() ?? {};
      if (!isBlind || rules?.maxStake === undefined || stake <= rules.maxStake || closedFor === playSessionId) return;
      closedFor = playSessionId;
      problem?.(
        `A game cost ${stake}, above the player's highest stake of ${rules.maxStake}: this play session starts no further one. Set the machine's maximum bet to the market's highest stake.`,
      );
    },
  };
}
