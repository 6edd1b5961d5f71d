import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { Minor } from "./money.ts";
import { CheckMinutes, CheckRules, LimitSubject } from "./player-protection.ts";

/* A player's own limits, as the page reads and changes them (contract.md section 2, record 0201). Apart from `http.ts`: the lobby does not load them. */

const When = z.iso.datetime({ offset: true });

/** The longest limit of time: more than any period has, minutes. */
export const LIMIT_MINUTES_MAX = 43_200;

/** A looser limit that waits. */
const WaitingLimit = z.object({
  id: z.string(),
  /** Null: no limit. */
  value: z.nullable(Minor),
  /** It may hold from then on. */
  from: When,
  /** The player must say yes after `from`; then this is the end of the time for it. Null: it begins by itself. */
  answerUntil: z.nullable(When),
});

export const OwnLimit = z.object({
  key: LimitSubject,
  /** What holds: the strictest of all owners. Minor units; of `time` and `session` minutes. Null: no limit. */
  value: z.nullable(Minor),
  /** Whose it is; one that the page does not know is `operator`. Null: no limit. */
  owner: z.nullable(z.catch(z.enum(["player", "operator", "market"]), "operator")),
  /** The player's own, which may be looser than `value`. */
  mine: z.nullable(Minor),
  /** What counts now, with what could still be lost of money at machines; of `session` 0. */
  used: Minor,
  /** What is left of `value`; null: no limit. */
  left: z.nullable(Minor),
  /** Where nothing is left: from when on something is again, if only time passes. Null: not by time alone, or something is left. */
  frees: z.nullable(When),
  /** The player may not play without a limit of their own of this key. */
  required: z.boolean(),
  /** The player's own looser limit that waits. */
  waiting: z.nullable(WaitingLimit),
  /** From when on a looser limit would hold if the player wished it now. */
  looserFrom: When,
});
export type OwnLimit = z.infer<typeof OwnLimit>;

/** A looser limit that has begun by itself. */
const BegunLimit = z.object({ id: z.string(), key: LimitSubject, value: z.nullable(Minor), from: When });
export type BegunLimit = z.infer<typeof BegunLimit>;

/** What of the market's rules the page of limits says. */
const LimitRules = z.object({
  /** A looser limit needs the player's yes after its wait. */
  asksAgain: z.boolean(),
  autoplay: z.boolean(),
  /** From the start of one game to the start of the next, at least, ms. */
  minCycleMs: z.int().check(z.gte(0)),
  /** Highest stake of one game of a player whose age is not known, minor units; null: none. */
  maxStake: z.nullable(Minor),
  /** Absent: an older platform, where the game alone offers the choice. */
  check: z.optional(CheckRules),
});

export const OwnLimits = z.object({
  /** The platform's clock when it answered. */
  now: When,
  limits: z.array(OwnLimit).check(z.maxLength(30)),
  rules: LimitRules,
  /** The market wants an answer whether the player would like limits: setting one is an answer. Absent: an older platform. */
  offered: z.optional(z.boolean()),
  /** Looser limits that have begun by themselves, until the player has read it. Absent: an older platform. */
  begun: z.optional(z.array(BegunLimit).check(z.maxLength(20))),
});
export type OwnLimits = z.infer<typeof OwnLimits>;

/** Sets one's own limit: at once when it is stricter, else after the wait. Null: none. Minor units; of `time` and `session` minutes. */
export const SetLimitBody = z.strictObject({ key: LimitSubject, value: z.nullable(Minor) }).check(
  z.refine(
    ({ key, value }) => value === null || !/^(time|session)/.test(key) || value <= LIMIT_MINUTES_MAX,
    "a time is in minutes, 43200 at most",
  ),
  z.refine(({ key, value }) => key !== "session" || value !== 0, "one play session has at least a minute"),
);

/** What setting it would come to. */
export const LimitPreview = z.object({
  /** From when on it would hold: now, where it is stricter. */
  from: When,
  isLooser: z.boolean(),
  /** It would need the player's yes after `from`. */
  asksAgain: z.boolean(),
  /** Nothing would be left of it: from when on something is again, if only time passes. Null: something is left, or not by time alone. */
  frees: z.nullable(When),
});
export type LimitPreview = z.infer<typeof LimitPreview>;

const WaitingId = z.string().check(z.regex(/^[1-9]\d{0,14}$/));
export const TakeLimitBackBody = z.strictObject({ id: WaitingId });
/** Whether the looser limit is still wanted, after its wait. */
export const AnswerLimitBody = z.strictObject({ id: WaitingId, wanted: z.boolean() });

/** The player has read that a looser limit has begun. */
export const ReadLimitNewsBody = z.strictObject({ id: WaitingId });

/** The player would not like limits now. */
export const DeclineLimitsBody = z.strictObject({ answer: z.literal("notNow") });

/** How often the player wants a reality check; null: never. Holds at once, but not for one that is open. */
export const ChooseCheckBody = z.strictObject({ minutes: z.nullable(CheckMinutes) });

/** Calls of a player about their own limits; each change answers the limits as they are then. A platform without them answers 404. */
export const limitCalls = {
  limits: { method: "GET", path: "player/limits", answer: OwnLimits },
  setLimit: { method: "POST", path: "player/limits", body: SetLimitBody, answer: OwnLimits },
  previewLimit: { method: "POST", path: "player/limits/preview", body: SetLimitBody, answer: LimitPreview },
  takeLimitBack: { method: "POST", path: "player/limits/take-back", body: TakeLimitBackBody, answer: OwnLimits },
  readLimitNews: { method: "POST", path: "player/limits/read", body: ReadLimitNewsBody, answer: OwnLimits },
  declineLimits: { method: "POST", path: "player/limits/not-now", body: DeclineLimitsBody, answer: OwnLimits },
  chooseCheck: { method: "POST", path: "player/limits/check", body: ChooseCheckBody, answer: OwnLimits },
  answerLimit: { method: "POST", path: "player/limits/answer", body: AnswerLimitBody, answer: OwnLimits },
} as const satisfies Record<string, Call>;
