import * as z from "zod/mini";
import type { Call } from "./call.ts";

/** States of a proof of identity. `expired`: it was verified, and the document's last day is over, or a person said so. */
export const IDENTITY_STATES = ["none", "pending", "verified", "refused", "expired"] as const;
export type IdentityState = (typeof IDENTITY_STATES)[number];
/** What a person or a service may decide. */
export const IDENTITY_DECISIONS = ["pending", "verified", "refused", "expired"] as const;
/** Kinds of documents that a number is of. */
export const DOCUMENT_KINDS = ["passport", "identityCard", "drivingLicence", "residencePermit"] as const;
/** ISO 3166, two letters. */
export const CountryCode = z.string().check(z.regex(/^[A-Z]{2}$/));
/**
 * The number of a document as ICAO 9303 allows it, written as people write it: letters and digits of ASCII, perhaps in full width, with separators. A
 * letter of another script that looks alike is refused: it would hide that two numbers are the same.
 */
export const DocumentNumber = z.string().check(
  z.maxLength(60),
  z.refine((text) => documentNumberForm(text) !== null, { error: "no number of a document" }),
);

/** The one form of a document's number: capitals and digits; null: it is none. */
export function documentNumberForm(text: string): string | null {
  const form = text
    .normalize("NFKC")
    .toUpperCase()
    .replaceAll(/[\s\p{Dash}.,/\\'<]/gu, "");
  return /^[0-9A-Z]{4,30}$/.test(form) && /[0-9]/.test(form) ? form : null;
}
/** What a market may keep closed until identity and age are proved. */
export const IDENTITY_GATES = ["play", "deposit", "withdrawal"] as const;
export type IdentityGate = (typeof IDENTITY_GATES)[number];

/** GET player/identity. Dates as `2031-02-01`. */
export const IdentityAnswer = z.object({
  state: z.enum(IDENTITY_STATES),
  /** When that was decided, ISO 8601; null: nothing was. */
  decidedAt: z.nullable(z.string()),
  /** The document's last day; null: none is known. */
  validUntil: z.nullable(z.iso.date()),
  /** What was shown, in the words of the casino; null: nothing, or its data were erased. */
  document: z.nullable(z.string().check(z.maxLength(100))),
  /** The player's own; null: not known. */
  birthDate: z.nullable(z.iso.date()),
  /** Who the birth date says is too young; the youngest player, years. */
  tooYoung: z.boolean(),
  ageMin: z.int().check(z.gte(0), z.lte(150)),
  /** What the market wants a proof before. */
  before: z.array(z.enum(IDENTITY_GATES)),
  /** What is closed now for want of age or proof. */
  closed: z.array(z.enum(IDENTITY_GATES)),
});
export type IdentityAnswer = z.infer<typeof IdentityAnswer>;

/** Calls of a player about the proof of who they are. A platform without it answers 404. */
export const identityCalls = {
  identity: { method: "GET", path: "player/identity", answer: IdentityAnswer },
} as const satisfies Record<string, Call>;
