import * as z from "zod/mini";
import { TERMS_CHANGES_MAX, TERMS_LETTERS_MAX, TermsNumber } from "./player-terms.ts";
import type { StaffCall } from "./staff-call.ts";
import { actAnswer, actBody, lineOf, listOf, page, Reason, When } from "./staff-call.ts";

/** The terms in one language. */
export const TermsWords = z.strictObject({
  title: lineOf(100),
  /** What is new, a line each. */
  changes: z.array(lineOf(300)).check(z.maxLength(TERMS_CHANGES_MAX)),
  /** Plain text: an empty line between paragraphs, `# ` before a heading. */
  body: z.string().check(z.minLength(1), z.maxLength(TERMS_LETTERS_MAX), z.regex(/^(?:[^\p{Cc}\p{Cs}]|\n)+$/u)),
});
export type TermsWords = z.infer<typeof TermsWords>;

/** By language; one at least. A page without a text in its language shows English, else Turkish, else Arabic. */
export const TermsTexts = z
  .strictObject({ tr: z.optional(TermsWords), en: z.optional(TermsWords), ar: z.optional(TermsWords) })
  .check(z.refine((texts) => Object.values(texts).some((text) => text !== undefined), "no language has a text"));
export type TermsTexts = z.infer<typeof TermsTexts>;

export const TermsRow = z.object({
  number: TermsNumber,
  validFrom: When,
  /** `waits`: its time has not come; `holds`; `earlier`: a later one holds. */
  state: z.enum(["waits", "holds", "earlier"]),
  title: z.string(),
  languages: z.array(z.enum(["tr", "en", "ar"])),
  by: z.string(),
  at: When,
  reason: z.string(),
  /** Players who accepted it. */
  accepted: z.int(),
});
export type TermsRow = z.infer<typeof TermsRow>;

/** Terms of use, by version. */
export const termsCalls = {
  /** Newest first. */
  termsVersions: {
    method: "GET",
    path: "terms",
    query: z.strictObject(page),
    answer: listOf(TermsRow),
    for: "settings.see",
  },
  termsVersion: {
    method: "GET",
    path: "terms/{number}",
    answer: z.object({ ...TermsRow.shape, texts: TermsTexts }),
    for: "settings.see",
  },
  /** Adds a version, which never changes. `validFrom` in the past or absent: it holds at once. Each player accepts it anew. */
  addTerms: {
    method: "POST",
    path: "terms/add",
    body: actBody({
      /** The newest version as the person saw it; 0: none. */
      expected: z.int().check(z.gte(0), z.lte(1_000_000)),
      validFrom: z.optional(When),
      texts: TermsTexts,
      reason: Reason,
    }),
    answer: actAnswer(z.object({ number: TermsNumber, validFrom: When })),
    for: "settings.change",
    stepUp: true,
  },
} as const satisfies Record<string, StaffCall>;
