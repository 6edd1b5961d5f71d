import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { OwnId } from "./ids.ts";
import { Minor } from "./money.ts";
import { GameId, PlayedGame } from "./player-record.ts";

/* A player's question about one game, and what came of it (contract.md section 2, record 0220). */

const When = z.iso.datetime({ offset: true });

/** What a player may say was wrong with a game. */
export const DISPUTE_KINDS = [
  "winNotCounted",
  "pictureStopped",
  "otherStake",
  "gameNotEnded",
  "pressIgnored",
  "somethingElse",
] as const;
export type DisputeKind = (typeof DISPUTE_KINDS)[number];

/** `received`: no person has it yet. */
export const DISPUTE_STATES = ["received", "lookedAt", "decided"] as const;
export type DisputeState = (typeof DISPUTE_STATES)[number];

/** How a question ends: the game was paid right, the venue owes an amount and has paid it, or it is unclear. */
export const DISPUTE_VERDICTS = ["paidRight", "houseOwes", "unclear"] as const;
export type DisputeVerdict = (typeof DISPUTE_VERDICTS)[number];

/** What a player reads of what was done. `taken`: a person looks at it. */
export const DISPUTE_STEPS = ["opened", "taken", "question", "addition", "decided"] as const;

/** The most characters of a text in a question, and of the sentence of a verdict. */
export const DISPUTE_TEXT_MAX = 1_000;
export const DISPUTE_SENTENCE_MAX = 200;
/** A player adds so often to one question. */
export const DISPUTE_ADDITIONS_MAX = 5;
/** A player has so many questions without a verdict at a time. */
export const DISPUTES_OPEN_MAX = 20;
/** A game may have a question for so many days; the last ten games always. */
export const DISPUTE_WITHIN_DAYS = 90;

/** Plain text of several lines. */
export const DisputeText = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(DISPUTE_TEXT_MAX),
    z.regex(/^(?:[^\p{Cc}\p{Cs}]|\n)+$/u, "must be plain text"),
    z.regex(/\S/),
  );

const OperatorWords = z.union([
  z.string(),
  z.object({ tr: z.optional(z.string()), en: z.optional(z.string()), ar: z.optional(z.string()) }),
]);

const Step = z.object({
  at: When,
  kind: z.enum(DISPUTE_STEPS),
  /** The name of the member of staff; null: the player. */
  from: z.nullable(z.string()),
  text: z.nullable(z.string()),
  /** Its words were erased with the personal data. */
  erased: z.boolean(),
});

export const Dispute = z.object({
  id: OwnId,
  /** What people call it. */
  number: z.int(),
  kind: z.enum(DISPUTE_KINDS),
  state: z.enum(DISPUTE_STATES),
  openedAt: When,
  /** Until when it is answered. */
  dueAt: When,
  /** The oldest first. */
  steps: z.array(Step),
  /** How often the player may add to it yet. */
  additionsLeft: z.int(),
  /** What came of it; null: it is not decided. */
  decision: z.nullable(
    z.object({
      verdict: z.enum(DISPUTE_VERDICTS),
      /** Null: it was erased with the personal data. */
      sentence: z.nullable(z.string()),
      /** What the venue paid to the wallet, minor units, and the transfer; null: no money moved. */
      amount: z.nullable(Minor),
      transfer: z.nullable(z.string()),
    }),
  ),
  /** Staff wrote something that the player has not read. */
  isNew: z.boolean(),
});
export type Dispute = z.infer<typeof Dispute>;

/** A game of the caller, the question about it, and what is looked at. */
export const DisputeAnswer = z.object({
  game: PlayedGame,
  /** What the ledger moved for the game, minor units, below zero to the venue, and when; null: nothing. */
  booked: z.nullable(z.object({ amount: z.int(), at: When })),
  /** False: the game is too long ago, or too many questions are open. A question that there is stays. */
  mayAsk: z.boolean(),
  /** How many days an answer takes at most. */
  dueDays: z.int(),
  /** To whom the caller may turn when the verdict is there and leaves them not content. */
  independentBodies: z.array(
    z.object({ name: OperatorWords, address: z.nullable(OperatorWords), url: z.nullable(z.string()) }),
  ),
  /** Null: there is none. */
  dispute: z.nullable(Dispute),
});
export type DisputeAnswer = z.infer<typeof DisputeAnswer>;

const DisputeRow = z.object({
  ...{ number: Dispute.shape.number, kind: Dispute.shape.kind, state: Dispute.shape.state },
  ...{ openedAt: When, dueAt: When, isNew: z.boolean() },
  game: z.object({ id: GameId, number: z.int(), machine: z.string(), end: When }),
  verdict: z.nullable(z.enum(DISPUTE_VERDICTS)),
});
export type DisputeRow = z.infer<typeof DisputeRow>;

/** The newest first, at most 50. */
export const DisputesAnswer = z.object({ disputes: z.array(DisputeRow) });

/** Calls of a player about questions. No limit, break or exclusion closes them. A platform without them answers 404. */
export const disputeCalls = {
  disputes: { method: "GET", path: "player/disputes", answer: DisputesAnswer },
  /** By the id of the game. 404: the caller has no such game. */
  dispute: { method: "GET", path: "player/disputes/{id}", answer: DisputeAnswer },
  /** Once for each game: a repeat changes nothing and answers the first. */
  askDispute: {
    method: "POST",
    path: "player/disputes",
    body: z.strictObject({ game: GameId, kind: z.enum(DISPUTE_KINDS), words: z.optional(DisputeText) }),
    answer: DisputeAnswer,
  },
  /** Adds words before the verdict, also as the answer to the question of staff. */
  addToDispute: {
    method: "POST",
    path: "player/disputes/add",
    body: z.strictObject({ game: GameId, text: DisputeText }),
    answer: DisputeAnswer,
  },
  /** The player has read what staff wrote. A repeat changes nothing. */
  readDispute: {
    method: "POST",
    path: "player/disputes/read",
    body: z.strictObject({ game: GameId }),
    answer: DisputeAnswer,
  },
} as const satisfies Record<string, Call>;
