import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { CARE_LEVELS, CARE_MEASURES, CareSign, LETTER_LETTERS_MAX, LimitAdvice } from "./player-care.ts";
import type { StaffCall } from "./staff-call.ts";
import {
  ActDone,
  actAnswer,
  actBody,
  listOf,
  NoteText,
  PersonRef,
  PlayerRef,
  page,
  Reason,
  When,
} from "./staff-call.ts";

/** How a case may end. A case never ends without one. */
export const CARE_OUTCOMES = [
  "noConcern",
  "talked",
  "limitSet",
  "tookBreak",
  "excluded",
  "referred",
  "noAnswer",
] as const;
export type CareOutcome = (typeof CARE_OUTCOMES)[number];

/** What happened in a case, beside the signs. */
export const CARE_STEPS = ["opened", "taken", "note", "letter", "timeOut", "closed"] as const;
export type CareStep = (typeof CARE_STEPS)[number];

/** Longest time-out that staff begins, days. */
export const STAFF_TIME_OUT_DAYS_MAX = 42;

/** What each measure comes to now, and from where it counts; `value` null: it cannot be said, as the loss of a player who declared nothing. */
const Figure = z.object({
  measure: z.enum(CARE_MEASURES),
  value: z.nullable(z.int()),
  watch: z.int(),
  strong: z.int(),
});

export const CareCase = z.object({
  id: OwnId,
  player: PlayerRef,
  openedAt: When,
  level: z.enum(CARE_LEVELS),
  owner: z.nullable(PersonRef),
  /** What was seen, the newest first. */
  signs: z.array(CareSign),
  closedAt: z.nullable(When),
  closedBy: z.nullable(PersonRef),
  outcome: z.nullable(z.enum(CARE_OUTCOMES)),
});
export type CareCase = z.infer<typeof CareCase>;

export const CareCaseDetail = z.object({
  ...CareCase.shape,
  steps: z.array(
    z.object({
      at: When,
      kind: z.enum(CARE_STEPS),
      /** Null: the platform. */
      person: z.nullable(PersonRef),
      /** The note, the letter or the reason. */
      text: z.nullable(z.string()),
      advice: z.nullable(LimitAdvice),
      /** Of a time-out: its end. */
      until: z.nullable(When),
      /** Of a letter: when the player put it away. */
      readAt: z.nullable(When),
    }),
  ),
  /** From when on a letter may be sent; null: now. */
  letterFrom: z.nullable(When),
  /** What a letter begins with, in each language: the operator's own text, else the platform's. */
  drafts: z.object({ tr: z.string(), en: z.string(), ar: z.string() }),
});
export type CareCaseDetail = z.infer<typeof CareCaseDetail>;

/** What is looked after of one player. */
export const PlayerCare = z.object({
  /** The newest first, at most 20; an open one is the first. */
  cases: z.array(CareCase),
  figures: z.array(Figure),
  /** What the player says can be lost in a month, minor units; null: nothing was declared. */
  declared: z.nullable(z.int()),
});
export type PlayerCare = z.infer<typeof PlayerCare>;

const LetterText = NoteText.check(z.maxLength(LETTER_LETTERS_MAX), z.regex(/\S/));

/** Cases: players who may need care. */
export const careCalls = {
  careCases: {
    method: "GET",
    path: "care/cases",
    query: z.strictObject({ ...page, state: z._default(z.enum(["open", "closed"]), "open") }),
    answer: listOf(CareCase),
    for: "care.see",
  },
  careCase: { method: "GET", path: "care/cases/{id}", answer: CareCaseDetail, for: "care.see" },
  playerCare: { method: "GET", path: "players/{id}/care", answer: PlayerCare, for: "care.see" },
  /** Opens a case by hand: staff noticed something. */
  openCareCase: {
    method: "POST",
    path: "players/{id}/care",
    body: actBody({ reason: Reason }),
    answer: actAnswer(z.object({ case: OwnId })),
    for: "care.act",
  },
  /** Keeps what the player says can be lost in a month, minor units. */
  declareMeans: {
    method: "POST",
    path: "players/{id}/care/means",
    body: actBody({ amount: z.int().check(z.gte(1), z.lte(1_000_000_000_000)), reason: Reason }),
    answer: ActDone,
    for: "care.act",
  },
  /** Takes a case, also from somebody else: `expected` is who has it, as the caller saw it. */
  takeCareCase: {
    method: "POST",
    path: "care/cases/{id}/take",
    body: actBody({ expected: z.nullable(OwnId) }),
    answer: ActDone,
    for: "care.act",
  },
  noteCareCase: {
    method: "POST",
    path: "care/cases/{id}/note",
    body: actBody({ note: NoteText }),
    answer: ActDone,
    for: "care.act",
  },
  /** Writes to the player, at most once in 14 days. Who has the case writes. */
  writeCareLetter: {
    method: "POST",
    path: "care/cases/{id}/letter",
    body: actBody({ text: LetterText, advice: z.optional(LimitAdvice) }),
    answer: actAnswer(z.object({ letter: OwnId })),
    for: "care.act",
  },
  /** Closes play for the player at once, as an exclusion by the operator. */
  careTimeOut: {
    method: "POST",
    path: "care/cases/{id}/time-out",
    body: actBody({ days: z.int().check(z.gte(1), z.lte(STAFF_TIME_OUT_DAYS_MAX)), reason: Reason }),
    answer: actAnswer(z.object({ until: When })),
    for: "care.act",
  },
  closeCareCase: {
    method: "POST",
    path: "care/cases/{id}/close",
    body: actBody({ outcome: z.enum(CARE_OUTCOMES), reason: Reason }),
    answer: ActDone,
    for: "care.act",
  },
} as const satisfies Record<string, StaffCall>;
