import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { OwnId, WireId } from "./ids.ts";
import { Minor } from "./money.ts";

/* What a player's record says (contract.md section 2, record 0206): what was played lately, the last games, a year. Apart from `http.ts`: the lobby does not load it. */

const When = z.iso.datetime({ offset: true });
/** Sums of years exceed what one transfer may have. */
const Sum = z.int().check(z.gte(0));
const SignedSum = z.int();
const Count = z.int().check(z.gte(0));
const TextOfName = z.string().check(z.maxLength(200));

/** Who or what ended a play session. A reader takes one that it does not know for `house`. */
export const SESSION_ENDS = [
  "left",
  "cancelled",
  "noDeposit",
  "idle",
  "lostLink",
  "limit",
  "excluded",
  "identity",
  "kicked",
  "banned",
  "house",
] as const;
export type SessionEnd = (typeof SESSION_ENDS)[number];

/** A play session, summed up. Minor units. */
export const SessionSummary = z.object({
  id: WireId,
  machine: TextOfName,
  start: When,
  /** Null, as `endedBy` is then: it is not over. */
  end: z.nullable(When),
  endedBy: z.nullable(z.catch(z.enum(SESSION_ENDS), "house")),
  seconds: Count,
  games: Count,
  wagered: Sum,
  /** With what was paid by hand. */
  won: Sum,
  /** What went from the machine to the wallet. */
  cameHome: Sum,
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** The days before now that `RecentPlay` adds up. */
export const RECENT_DAYS = 30;

/** What was played lately. */
export const RecentPlay = z.object({
  /** The newest play session; null: there is none. */
  last: z.nullable(SessionSummary),
  /** Play sessions that began in the last `RECENT_DAYS` days. */
  recent: z.object({ games: Count, wagered: Sum, won: Sum }),
  /** Time at machines, s, and games since midnight at the venue. Absent: an older platform. */
  today: z.optional(z.object({ seconds: Count, wagered: Sum, won: Sum })),
});
export type RecentPlay = z.infer<typeof RecentPlay>;

/** How many games are recalled. Source: GLI-19 4.14. */
export const RECALLED_GAMES = 10;

/** A game, as its machine counted it. Minor units; null: the machine does not say. */
export const PlayedGame = z.object({
  /** The machine's number of the game, a dot, the machine's id. */
  id: z.string().check(z.minLength(1), z.maxLength(80)),
  number: z.int().check(z.gte(1)),
  machine: TextOfName,
  /** The play session. */
  session: WireId,
  start: When,
  end: When,
  stake: z.nullable(Minor),
  win: z.nullable(Minor),
  /** The part of `win` that was left to be paid by hand, and is not in `after`. */
  handPaid: z.nullable(Minor),
  /** The credit on the machine before and after it. */
  before: z.nullable(Minor),
  after: z.nullable(Minor),
  freeSpins: z.nullable(Count),
  bonus: z.nullable(z.boolean()),
  /** False: the machine's own figures do not agree, and a person looks at them. */
  addsUp: z.boolean(),
});
export type PlayedGame = z.infer<typeof PlayedGame>;

/** The first and the last year of a statement. */
export const STATEMENT_YEARS = { first: 2_000, last: 2_999 } as const;

/** What a wallet and its player's games came to in a time. Minor units. */
export const StatementFigures = z.object({
  deposits: Sum,
  withdrawals: Sum,
  bonuses: Sum,
  discounts: Sum,
  /** What the player paid the venue for a service, as for a held seat. An older platform has none. */
  fees: z._default(Sum, 0),
  /** From the wallet onto machines, and from machines to the wallet. */
  toMachines: Sum,
  fromMachines: Sum,
  /** Paid by hand: wins, jackpots, and credits that a machine could not pay itself. */
  handPays: Sum,
  /** Corrections and settlements of staff; what they took is below zero. */
  corrections: SignedSum,
  games: Count,
  wagered: Sum,
  /** With what was paid by hand. */
  won: Sum,
  /** The wallet before and after. `closing` is `opening` and all that moved. */
  opening: SignedSum,
  closing: SignedSum,
});
export type StatementFigures = z.infer<typeof StatementFigures>;

/** A player's account in a year, month by month, by the venue's time zone. */
export const Statement = z.object({
  /** IANA name. */
  timeZone: z.string().check(z.minLength(1), z.maxLength(64)),
  asOf: When,
  year: z.int(),
  /** Years that have something, and the present one, the newest first. */
  years: z.array(z.int()).check(z.maxLength(100)),
  total: StatementFigures,
  /** The months of the year that have begun, January first. `month`: 1 to 12. */
  months: z.array(z.extend(StatementFigures, { month: z.int().check(z.gte(1), z.lte(12)) })).check(z.maxLength(12)),
});
export type Statement = z.infer<typeof Statement>;

/** `year`: the present one where it is left out. */
export const StatementQuery = z.object({
  year: z.optional(z.coerce.number().check(z.multipleOf(1), z.gte(STATEMENT_YEARS.first), z.lte(STATEMENT_YEARS.last))),
});

/** `session`: only games of this play session of the caller. */
export const GamesQuery = z.object({ session: z.optional(OwnId) });

/** The id of a game of ours. */
export const GameId = z.string().check(z.regex(/^[1-9]\d{0,14}\.[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/));

/** Calls of a player about the own record. A platform without them answers 404. */
export const recordCalls = {
  recent: { method: "GET", path: "player/recent", answer: RecentPlay },
  /** The newest first, at most `RECALLED_GAMES`. */
  games: {
    method: "GET",
    path: "player/games",
    query: GamesQuery,
    answer: z.object({ games: z.array(PlayedGame).check(z.maxLength(RECALLED_GAMES)) }),
  },
  /** One game of the caller, however long ago. Another player's, or none, is 404. */
  game: { method: "GET", path: "player/games/{id}", answer: PlayedGame },
  statement: { method: "GET", path: "player/statement", query: StatementQuery, answer: Statement },
} as const satisfies Record<string, Call>;
