import * as z from "zod/mini";
import { GameClip } from "./clips.ts";
import { OwnId } from "./ids.ts";
import { Minor, PositiveMinor } from "./money.ts";
import {
  DISPUTE_KINDS,
  DISPUTE_SENTENCE_MAX,
  DISPUTE_STATES,
  DISPUTE_STEPS,
  DISPUTE_VERDICTS,
  DisputeText,
} from "./player-disputes.ts";
import { PlayedGame } from "./player-record.ts";
import { ClipPartName } from "./recording.ts";
import type { StaffCall } from "./staff-call.ts";
import {
  ActDone,
  actAnswer,
  actBody,
  lineOf,
  listOf,
  MachineRef,
  NoteText,
  PersonRef,
  PlayerRef,
  page,
  When,
} from "./staff-call.ts";
import { GameRow, MachineEventRow } from "./staff-floor.ts";
import { AuditEntry } from "./staff-records.ts";

/**
 * What is said and done in a question. No player's page shows `note`, `mark`, a moment of the recording that an export names too, and `requested`, a
 * verdict that waits for a second person.
 */
export const DISPUTE_STAFF_STEPS = [...DISPUTE_STEPS, "note", "mark", "requested"] as const;
export type DisputeStep = (typeof DISPUTE_STAFF_STEPS)[number];

export const DisputeCase = z.object({
  id: OwnId,
  /** What people call it. */
  number: z.int(),
  player: PlayerRef,
  machine: MachineRef,
  /** The machine's number of the game. */
  gameNumber: z.int(),
  kind: z.enum(DISPUTE_KINDS),
  state: z.enum(DISPUTE_STATES),
  openedAt: When,
  dueAt: When,
  owner: z.nullable(PersonRef),
  decidedAt: z.nullable(When),
  verdict: z.nullable(z.enum(DISPUTE_VERDICTS)),
  /** What the venue paid, minor units, and the transfer. */
  amount: z.nullable(Minor),
  transfer: z.nullable(z.string()),
});
export type DisputeCase = z.infer<typeof DisputeCase>;

/** What is kept of the seconds about the game, each source by itself. What no source kept is absent, and never made up. */
const Facts = z.object({
  from: When,
  to: When,
  /** What the ledger moved at the machine, and the game's own transfer. */
  booked: z.array(
    z.object({
      ...{ id: z.string(), kind: z.string(), from: z.string(), to: z.string() },
      amount: z.int(),
      at: When,
      /** What the game won or lost. */
      isOfGame: z.boolean(),
    }),
  ),
  /** What machine and agent reported. */
  events: z.array(MachineEventRow),
  /** Entries about machine and player; null: not for this caller. */
  audit: z.nullable(z.array(AuditEntry)),
});

/** A game as the machine counted it, the games before and after it on the machine, also those of other players, and what is kept of its seconds. */
const playedGame = { game: PlayedGame, gameBefore: z.nullable(GameRow), gameAfter: z.nullable(GameRow), facts: Facts };

export const DisputeCaseDetail = z.object({
  ...DisputeCase.shape,
  ...playedGame,
  /** The oldest first. */
  steps: z.array(
    z.object({
      at: When,
      kind: z.enum(DISPUTE_STAFF_STEPS),
      /** Null: the player. */
      person: z.nullable(PersonRef),
      text: z.nullable(z.string()),
      /** Of the verdict: what the player reads first. */
      sentence: z.nullable(z.string()),
      /** Its words were erased with the personal data. */
      erased: z.boolean(),
      /** Of a mark: the moment of the recording, ms since 1970 by the agent's clock. */
      momentMs: z.optional(z.number()),
    }),
  ),
});
export type DisputeCaseDetail = z.infer<typeof DisputeCaseDetail>;

/** A game without a question; `player` null: the caller may not see players. */
export const GameDetail = z.object({ machine: MachineRef, player: z.nullable(PlayerRef), ...playedGame });
export type GameDetail = z.infer<typeof GameDetail>;

/** What the player's page reported beside a clip at most. */
const PICTURE_REPORTS_MAX = 500;
const Ms = z.number();

/**
 * With what the player's own page reported of its picture: a report a minute, and each with trouble. Times are ms since 1970 by the platform's clock.
 * No rule believes it, and a page may not report at all.
 */
export const StaffClip = z.extend(GameClip, {
  picture: z
    .array(
      z.object({
        at: Ms,
        /** Glass to glass; null: the page cannot measure it. */
        delayMs: z.nullable(z.int()),
        freezes: z.array(z.object({ fromMs: Ms, toMs: Ms })),
      }),
    )
    .check(z.maxLength(PICTURE_REPORTS_MAX)),
});
export type StaffClip = z.infer<typeof StaffClip>;

/**
 * How far a drawn game is (record 0225). `agrees`: recording, meters, ledger and audit log say the same; `differs`: something is wrong; `unproved`: nothing
 * is wrong, and something is missing to prove it by.
 */
export const SAMPLE_STATES = ["waiting", "agrees", "differs", "unproved"] as const;

const SampledGame = z.object({
  /** The day of the venue whose games were drawn. */
  day: z.iso.date(),
  machine: MachineRef,
  gameNumber: z.int(),
  state: z.enum(SAMPLE_STATES),
  /** What is wrong or missing, in sentences of the verifier. */
  why: z.array(z.string()),
  decidedAt: z.nullable(When),
});

const OF_GAME = "clips/{machine}/{number}";

/** The export of a question: a zip, no JSON (record 0224). Each one is in the audit log with its fingerprint, which a header says too. */
export const EVIDENCE_PATH = "disputes/{id}/evidence";
export const FINGERPRINT_HEADER = "x-longarm-fingerprint";

/** Questions of players about a game. Each reading of one is in the audit log. */
export const disputeDeskCalls = {
  /** Open ones: the first that is due first; decided ones: the newest first. */
  disputes: {
    method: "GET",
    path: "disputes",
    query: z.strictObject({ ...page, state: z._default(z.enum(["open", "decided"]), "open") }),
    answer: listOf(DisputeCase),
    for: "dispute.see",
  },
  dispute: { method: "GET", path: "disputes/{id}", answer: DisputeCaseDetail, for: "dispute.see" },
  /** The recording of a game. What is read of it is in the audit log, once for each clip, person and hour. */
  clip: { method: "GET", path: OF_GAME, answer: StaffClip, for: "dispute.see" },
  /** Has it fetched from its agent. While it is on its way, or here, a repeat changes nothing. */
  requestClip: { method: "POST", path: OF_GAME, body: z.strictObject({}), answer: StaffClip, for: "dispute.see" },
  /** Game and facts beside the recording of a game that has no question. */
  gameOfClip: { method: "GET", path: `${OF_GAME}/game`, answer: GameDetail, for: "dispute.see" },
  /** Games that were drawn without a question, the newest day first. */
  sampledGames: {
    method: "GET",
    path: "sampled-games",
    query: z.strictObject({ state: z.optional(z.enum(SAMPLE_STATES)) }),
    answer: listOf(SampledGame),
    for: "dispute.see",
  },
  /** Takes a question, also from somebody else: `expected` is who has it, as the caller saw it. */
  takeDispute: {
    method: "POST",
    path: "disputes/{id}/take",
    body: actBody({ expected: z.nullable(OwnId) }),
    answer: ActDone,
    for: "dispute.decide",
  },
  /** With `momentMs`, a time of the recording by the agent's clock, it is a mark of that moment. */
  noteDispute: {
    method: "POST",
    path: "disputes/{id}/note",
    body: actBody({ note: NoteText, momentMs: z.optional(z.number().check(z.gte(0), z.lte(8.64e15))) }),
    answer: ActDone,
    for: "dispute.decide",
  },
  /** Asks the player back, once. Who has the question asks. */
  askBackDispute: {
    method: "POST",
    path: "disputes/{id}/question",
    body: actBody({ text: DisputeText }),
    answer: ActDone,
    for: "dispute.decide",
  },
  /** Decides it, which is final. `amount`, minor units, with `houseOwes` alone: a second person signs, and then the wallet gets it. */
  decideDispute: {
    method: "POST",
    path: "disputes/{id}/decide",
    body: actBody({
      verdict: z.enum(DISPUTE_VERDICTS),
      sentence: lineOf(DISPUTE_SENTENCE_MAX).check(z.regex(/^\S(?:.*\S)?$/u)),
      letter: DisputeText,
      amount: z.optional(PositiveMinor),
    }),
    answer: actAnswer(z.object({ transfer: z.nullable(z.string()) })),
    for: "dispute.decide",
    stepUp: true,
  },
} as const satisfies Record<string, StaffCall>;

/** A part of a clip: a segment (`video/mp4`), or the index or the chain as the agent wrote them. Not JSON. */
export const STAFF_CLIP_PART_PATH = `${OF_GAME}/parts/{name}`;
export const GameParams = z.object({
  machine: OwnId,
  number: z.coerce.number().check(z.int(), z.gte(1)),
});
export const StaffClipPart = z.extend(GameParams, { name: ClipPartName });
