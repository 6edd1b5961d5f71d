import * as z from "zod/mini";
import { IDENTITY_DECISIONS, IDENTITY_GATES, IDENTITY_STATES } from "./player-identity.ts";
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
  /** The newest first. */
  decisions: z.array(
    z.object({ state: Decision, at: When, by: z.string(), reason: z.string(), validUntil: z.nullable(Day) }),
  ),
});
export type PlayerIdentity = z.infer<typeof PlayerIdentity>;

/** As the national register knows the person: digits alone. */
const PersonalNumber = z.string().check(z.regex(/^[0-9]{6,20}$/));

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
        correction: z.nullable(z.object({ birthDate: Day, personalNumber: z.nullable(z.string()) })),
      }),
    ),
    for: "player.see",
  },
  /**
   * Decides, and keeps what was seen; what is absent stays. A birth date that makes the player older than was known, or that follows one that was
   * erased, waits with its decision for a second person.
   */
  decideIdentity: {
    method: "POST",
    path: "players/{id}/identity",
    body: actBody({
      state: Decision,
      birthDate: z.optional(Day),
      document: z.optional(lineOf(100)),
      personalNumber: z.optional(PersonalNumber),
      /** The document's last day; only with `verified`. */
      validUntil: z.optional(Day),
      reason: Reason,
    }),
    answer: actAnswer(z.object({ state: z.enum(IDENTITY_STATES) })),
    for: "player.add",
    stepUp: true,
    personal: ["birthDate", "personalNumber"],
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
