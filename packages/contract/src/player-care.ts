import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { OwnId } from "./ids.ts";
import { LIMIT_KEYS } from "./player-protection.ts";

/**
 * What may show that play harms a player. `time`: at machines; `night`: of it between midnight and six; `chasing`: money added soon after a loss;
 * `stakes`: stakes against those of the weeks before; `takenBack`: withdrawals that came back within a day; `limitRaises`: looser limits requested;
 * `failedDeposits`: deposits and cash-ins that were refused; `sessions`: play sessions on the fullest day; `netLoss`: lost of what the player declared.
 */
export const CARE_MEASURES = [
  "time",
  "night",
  "chasing",
  "stakes",
  "takenBack",
  "limitRaises",
  "failedDeposits",
  "sessions",
  "netLoss",
] as const;
export type CareMeasure = (typeof CARE_MEASURES)[number];

/** What the figure of a measure counts. `share`: percent. */
export const CARE_UNITS = {
  time: "minutes",
  night: "minutes",
  chasing: "times",
  stakes: "share",
  takenBack: "times",
  limitRaises: "times",
  failedDeposits: "times",
  sessions: "times",
  netLoss: "share",
} as const satisfies Record<CareMeasure, "minutes" | "times" | "share">;

/** Over how many days each measure looks back: days of the venue, but for `limitRaises`, `takenBack` and `netLoss`, which count back from now. */
export const CARE_DAYS = {
  time: 7,
  night: 7,
  chasing: 7,
  stakes: 7,
  takenBack: 30,
  limitRaises: 30,
  failedDeposits: 1,
  sessions: 7,
  netLoss: 30,
} as const satisfies Record<CareMeasure, number>;

/** How clear a sign is: `watch` opens a case, `strong` calls staff too. */
export const CARE_LEVELS = ["watch", "strong"] as const;
export type CareLevel = (typeof CARE_LEVELS)[number];

/** A figure that was reached, as it was then, and the one from which it counts. */
export const CareSign = z.object({
  measure: z.enum(CARE_MEASURES),
  level: z.enum(CARE_LEVELS),
  /** Minutes, times or percent, by the measure. */
  value: z.int(),
  limit: z.int(),
  /** When it was found, ISO 8601. */
  at: z.string(),
});
export type CareSign = z.infer<typeof CareSign>;

/** The most characters of a letter. */
export const LETTER_LETTERS_MAX = 1_000;

/** A limit that a letter suggests. Minor units; of `time` minutes. */
export const LimitAdvice = z.strictObject({
  key: z.enum(LIMIT_KEYS),
  value: z.int().check(z.gte(1), z.lte(1_000_000_000)),
});
export type LimitAdvice = z.infer<typeof LimitAdvice>;

const Letter = z.object({
  id: OwnId,
  /** ISO 8601. */
  sentAt: z.string(),
  /** When the player put it away; null: not yet. */
  readAt: z.nullable(z.string()),
  /** The name of the member of staff who wrote it. */
  from: z.string(),
  /** Plain text, several lines. */
  text: z.string(),
  advice: z.nullable(LimitAdvice),
  /** Why it was written: what was seen up to then. Empty: staff wrote without such a sign. */
  why: z.array(CareSign),
});

/** GET player/letters: the newest first, at most 20. */
export const LettersAnswer = z.object({ letters: z.array(Letter) });
export type LettersAnswer = z.infer<typeof LettersAnswer>;
export type CareLetter = z.infer<typeof Letter>;

/** GET player/means: what the player says can be lost in a month, minor units. */
export const MeansAnswer = z.object({
  /** A market of the player looks at losses against it. */
  wanted: z.boolean(),
  /** What was said last; null: nothing yet. */
  declared: z.nullable(z.int()),
  /** What counts: a higher amount only 30 days after the player said it. */
  counts: z.nullable(z.int()),
});
export type MeansAnswer = z.infer<typeof MeansAnswer>;

/** Calls of a player about care: letters of staff, and what can be lost in a month. A platform without them answers 404. */
export const letterCalls = {
  letters: { method: "GET", path: "player/letters", answer: LettersAnswer },
  /** Puts a letter away: it is shown by itself no more. It has no other consequence, and a repeat changes nothing. */
  readLetter: {
    method: "POST",
    path: "player/letters/read",
    body: z.strictObject({ id: OwnId }),
    answer: LettersAnswer,
  },
  means: { method: "GET", path: "player/means", answer: MeansAnswer },
  /** At most 20 in a day. */
  declareMeans: {
    method: "POST",
    path: "player/means",
    body: z.strictObject({ amount: z.int().check(z.gte(1), z.lte(1_000_000_000)) }),
    answer: MeansAnswer,
  },
} as const satisfies Record<string, Call>;
