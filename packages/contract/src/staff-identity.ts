import * as z from "zod/mini";
import {
  CountryCode,
  DOCUMENT_KINDS,
  DocumentNumber,
  IDENTITY_DECISIONS,
  IDENTITY_GATES,
  IDENTITY_STATES,
} from "./player-identity.ts";
import type { StaffCall } from "./staff-call.ts";
import { actAnswer, actBody, Day, lineOf, Reason, When } from "./staff-call.ts";

const Decision = z.enum(IDENTITY_DECISIONS);

/** What is known of a player. Birth date and personal number are shown by `revealIdentity` alone. */
export const PlayerIdentity = z.object({
  state: z.enum(IDENTITY_STATES),
  validUntil: z.nullable(Day),
  /** Whole years; null: no birth date is known. */
  age: z.nullable(z.int()),
  document: z.nullable(z.string()),
  hasPersonalNumber: z.boolean(),
  /** By the rules of the player: the youngest age, and what needs a proof. */
  ageMin: z.int(),
  before: z.array(z.enum(IDENTITY_GATES)),
  /** What is closed now for want of age or proof. */
  closed: z.array(z.enum(IDENTITY_GATES)),
  /** A birth date waits, or waited, for a second person; `revealIdentity` shows it. */
  hasCorrection: z.boolean(),
  /** Other accounts of this person; null: the caller may not decide about identities, and does not learn of them. */
  others: z.nullable(
    z.array(
      z.object({
        player: z.object({ id: z.string(), username: z.string() }),
        /** `same`: the same personal number or document. `alike`: only the same name and birth date, a hint. */
        is: z.enum(["same", "alike"]),
        /** A break or the operator keeps it from play now. */
        excluded: z.boolean(),
      }),
    ),
  ),
  /** The newest decision waits for what a person says of the other accounts. */
  held: z.boolean(),
  /** The newest first. */
  decisions: z.array(
    z.object({ state: Decision, at: When, by: z.string(), reason: z.string(), validUntil: z.nullable(Day) }),
  ),
});
export type PlayerIdentity = z.infer<typeof PlayerIdentity>;

/** As the national register knows the person: digits alone. */
export const PersonalNumber = z.string().check(z.regex(/^[0-9]{6,20}$/));

/** Proof of identity and age. */
export const proofCalls = {
  playerIdentity: { method: "GET", path: "players/{id}/identity", answer: PlayerIdentity, for: "player.see" },
  /** Shows birth date and personal number once, and those that wait for a second person. The audit log says who looked, and why. */
  revealIdentity: {
    method: "POST",
    path: "players/{id}/identity/reveal",
    body: actBody({ reason: Reason }),
    answer: actAnswer(
      z.object({
        birthDate: z.nullable(Day),
        personalNumber: z.nullable(z.string()),
        correction: z.nullable(z.object({ birthDate: z.nullable(Day), personalNumber: z.nullable(z.string()) })),
      }),
    ),
    for: "player.see",
  },
  /**
   * Decides, and keeps what was seen; what is absent stays. A birth date that makes the player older than was known, or that follows one that was
   * erased, waits with its decision for a second person. While another account has the same number or document, `verified` becomes `pending` until
   * `others` says what that is: `same`, one person, whose breaks hold for every account; `different`, which a second person signs too.
   */
  decideIdentity: {
    method: "POST",
    path: "players/{id}/identity",
    body: actBody({
      state: Decision,
      birthDate: z.optional(Day),
      document: z.optional(lineOf(100)),
      /** Who issued number and document; goes with either. */
      country: z.optional(CountryCode),
      personalNumber: z.optional(PersonalNumber),
      /** Only a keyed mark of it is kept. */
      documentNumber: z.optional(DocumentNumber),
      documentKind: z.optional(z.enum(DOCUMENT_KINDS)),
      others: z.optional(z.enum(["same", "different"])),
      /** The document's last day; only with `verified`. */
      validUntil: z.optional(Day),
      reason: Reason,
    }),
    answer: actAnswer(z.object({ state: z.enum(IDENTITY_STATES) })),
    for: "player.add",
    stepUp: true,
    personal: ["birthDate", "personalNumber", "documentNumber"],
  },
  /** Erases the personal data; decisions, audit log and ledger stay. */
  eraseIdentity: {
    method: "POST",
    path: "players/{id}/identity/erase",
    body: actBody({ reason: Reason }),
    answer: actAnswer(z.object({})),
    for: "player.add",
    stepUp: true,
  },
} as const satisfies Record<string, StaffCall>;
