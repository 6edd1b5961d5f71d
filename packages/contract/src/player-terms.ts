import * as z from "zod/mini";
import type { Call } from "./call.ts";

/** What may stay closed until a player has accepted the terms. Account, limits and withdrawals never do. */
export const TERMS_GATES = ["play", "deposit"] as const;
export type TermsGate = (typeof TERMS_GATES)[number];

/** The number of a version: the first is 1. */
export const TermsNumber = z.int().check(z.gte(1), z.lte(1_000_000));
/** The most characters of one text of the terms, and lines that say what changed. */
export const TERMS_LETTERS_MAX = 100_000;
export const TERMS_CHANGES_MAX = 10;

const Language = z.enum(["tr", "en", "ar"]);
const version = {
  number: TermsNumber,
  /** From when on it holds, ISO 8601. */
  validFrom: z.string(),
  /** When the caller accepted it; null: not yet. */
  acceptedAt: z.nullable(z.string()),
  title: z.string(),
};

/** GET player/terms. */
export const TermsAnswer = z.object({
  /** The version that holds now and is not accepted yet; null: there is none. */
  due: z.nullable(TermsNumber),
  /** What is closed until it is accepted, where one is due. */
  before: z.array(z.enum(TERMS_GATES)),
  /** Those that hold or held, the newest first. */
  versions: z.array(z.object(version)),
});
export type TermsAnswer = z.infer<typeof TermsAnswer>;

/** GET player/terms/{number}. */
export const TermsText = z.object({
  ...version,
  /** Of the text: the wanted one where there is one. */
  language: Language,
  /** What is new against the version before, a line each. */
  changes: z.array(z.string()),
  /** Plain text: an empty line between paragraphs, `# ` before a heading. */
  body: z.string(),
});
export type TermsText = z.infer<typeof TermsText>;

const query = z.object({ language: z._default(Language, "en") });

/** Calls of a player about the terms of use. A platform without them answers 404. */
export const termsCalls = {
  terms: { method: "GET", path: "player/terms", query, answer: TermsAnswer },
  /** One version, also an earlier one. 404: there is none of this number, or its time has not come. */
  termsText: { method: "GET", path: "player/terms/{number}", query, answer: TermsText },
  /** 60091: another version holds by now. A repeat is accepted once. */
  acceptTerms: {
    method: "POST",
    path: "player/terms/accept",
    body: z.strictObject({ number: TermsNumber }),
    answer: TermsAnswer,
  },
} as const satisfies Record<string, Call>;
