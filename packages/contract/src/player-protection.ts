import * as z from "zod/mini";
import { Instant, OwnId } from "./ids.ts";
import { Minor, PositiveMinor } from "./money.ts";

/* What protects a player: rules of the market, limits, breaks. `docs/player-protection.md` has the clauses. */

/** What a limit counts. `deposit`: into the wallet, gross; `cashIn`: from the wallet onto machines; `time`: minutes at machines. */
export const COUNTED_KINDS = ["deposit", "cashIn", "loss", "wager", "time"] as const;
export type CountedKind = (typeof COUNTED_KINDS)[number];
/** Rolling periods: 24 hours, 7 days, 30 days. */
export const LIMIT_PERIODS = ["day", "week", "month"] as const;
export type LimitPeriod = (typeof LIMIT_PERIODS)[number];
export const PERIOD_HOURS: Readonly<Record<LimitPeriod, number>> = { day: 24, week: 168, month: 720 };
/** A counted limit: `loss.week`. Minor units; of `time` minutes. */
export type LimitKey = `${CountedKind}.${LimitPeriod}`;
export const LIMIT_KEYS: readonly LimitKey[] = COUNTED_KINDS.flatMap((kind) =>
  LIMIT_PERIODS.map((period): LimitKey => `${kind}.${period}`),
);

/** Whose limit it is. */
const LIMIT_OWNERS = ["player", "operator", "market"] as const;

/** What a player limits on the page: a counted limit, or the minutes of one play session. */
export type LimitSubject = LimitKey | "session";
export const LimitSubject = z.enum([...LIMIT_KEYS, "session"]);

/** Why paid games wait at the agent although the seat is held. A reader takes one that it does not know for `limit`. */
export const HOLD_REASONS = ["realityCheck", "limit", "break", "turn"] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/**
 * What the agent enforces for the player of a seat, beside the machine's own limits: of both the stricter holds. It goes with every grant and
 * renewal, and the newest one holds. Absent in a grant: an older platform, no rules.
 */
export const PlayRules = z.object({
  /** From the start of one game to the start of the next, at least, ms. */
  minCycleMs: z.int().check(z.gte(0), z.lte(60_000)),
  /** Highest stake of one game, minor units. */
  maxStake: z.optional(PositiveMinor),
  /**
   * What limits of stakes and of loss leave, minor units, once the machine's events up to `countedTo` are counted: the agent subtracts the games after it.
   */
  allowance: z.optional(
    z.object({
      stakes: z.optional(z.int().check(z.gte(0))),
      loss: z.optional(z.int().check(z.gte(0))),
      countedTo: z.int().check(z.gte(0)),
    }),
  ),
  /** False: games that the page starts by itself are refused. */
  autoplay: z.boolean(),
  /** True: a game may start only while play is recorded. */
  recorded: z.optional(z.boolean()),
  /** False: the player may not stop the reels before their time. */
  stopReels: z.boolean(),
  /** A game may start only when the newest picture is not older, ms. */
  pictureMsMax: z.optional(z.int().check(z.gte(100), z.lte(60_000))),
  /** New paid games are held after so many ms from the arrival of these rules; 0: now. What finishes a bonus passes. Absent: never. */
  paidForMs: z.optional(z.int().check(z.gte(0), z.lte(2_147_483_647))),
  /** Why they are held then. */
  heldFor: z.optional(z.catch(z.enum(HOLD_REASONS), "limit")),
});
export type PlayRules = z.infer<typeof PlayRules>;

/** How often a player may want a reality check, minutes at machines. */
export const CHECK_MINUTES = [15, 30, 45, 60] as const;
export type CheckMinutes = (typeof CHECK_MINUTES)[number];
export const CheckMinutes = z.literal([...CHECK_MINUTES]);

/** When reality checks come, and what the player may choose. */
export const CheckRules = z.object({
  /** The next reality check comes after so many minutes at machines; null: none does. */
  everyMin: z.nullable(z.int().check(z.gte(1), z.lte(1_440))),
  /** The longest time that the player may choose, minutes; null: any of `CHECK_MINUTES`. */
  longestMin: z.nullable(z.int().check(z.gte(1), z.lte(1_440))),
  /** The player may choose none. */
  mayBeOff: z.boolean(),
});
export type CheckRules = z.infer<typeof CheckRules>;

/** The rules of a seat as its page shows them. The agent enforces them, whatever a page does. */
export const GameRules = z.object({
  /** From the start of one game to the start of the next, at least, ms; 0: no rule. */
  minCycleMs: z.int().check(z.gte(0), z.lte(60_000)),
  /** Highest stake of one game, minor units. */
  maxStake: z.optional(PositiveMinor),
  /** What a limit of stakes or of loss leaves, minor units, and whose and of which period it is: no game may stake more. Absent: nothing limits it. */
  stakesLeft: z.optional(
    z.object({
      left: z.int().check(z.gte(0)),
      of: z.catch(z.enum(["wager", "loss"]), "wager"),
      owner: z.catch(z.enum(LIMIT_OWNERS), "operator"),
      period: z.enum(LIMIT_PERIODS),
    }),
  ),
  /** The page may press for the player. */
  autoplay: z.boolean(),
  /** A held key starts one game and no further one. */
  releaseToPress: z.boolean(),
  /** A win that is not above its stake is shown without celebration. */
  winBelowStakePlain: z.boolean(),
  check: CheckRules,
});
export type GameRules = z.infer<typeof GameRules>;

/** A reality check as it was shown: time at machines, ms, and what was played in it, minor units. */
export const RealityCheck = z.object({
  id: OwnId,
  shownAt: Instant,
  playedMs: z.int().check(z.gte(0)),
  games: z.int().check(z.gte(0)),
  wagered: Minor,
  won: Minor,
});
export type RealityCheck = z.infer<typeof RealityCheck>;

/** `due`: paid games are held, and it comes when the game that runs is over; `open`: it waits for its answer. A reader takes a state that it does not know for `none`. */
export const CheckNow = z.object({
  state: z.catch(z.enum(["none", "due", "open"]), "none"),
  /** With `open`. */
  check: z.optional(RealityCheck),
});
export type CheckNow = z.infer<typeof CheckNow>;
