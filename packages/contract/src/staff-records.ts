import * as z from "zod/mini";
import type { StaffCall } from "./staff-call.ts";
import { actAnswer, actBody, lineOf, listOf, page, When } from "./staff-call.ts";

const Facts = z.record(z.string(), z.unknown());
export const AuditEntry = z.object({
  position: z.string(),
  at: When,
  source: z.string(),
  type: z.string(),
  actor: z.string(),
  subject: z.nullable(z.string()),
  address: z.nullable(z.string()),
  before: z.nullable(Facts),
  after: z.nullable(Facts),
  facts: Facts,
});
const filter = {
  from: z.optional(When),
  to: z.optional(When),
  type: z.optional(lineOf(64)),
  actor: z.optional(lineOf(200)),
  subject: z.optional(lineOf(200)),
};
export const ChainProof = z.object({
  links: z.int(),
  waiting: z.int(),
  whole: z.boolean(),
  breaches: z.array(z.object({ is: z.string(), position: z.nullable(z.int()), sentence: z.string() })),
  /** The newest link, to be written down elsewhere. Null: no link yet. */
  witness: z.nullable(z.object({ position: z.int(), hash: z.string() })),
  checkedAt: When,
});

/** The audit log. */
export const recordCalls = {
  audit: {
    method: "GET",
    path: "audit",
    query: z.strictObject({ ...page, ...filter }),
    answer: listOf(AuditEntry),
    for: "audit.see",
  },
  proveAudit: {
    method: "POST",
    path: "audit/prove",
    body: actBody({
      witness: z.optional(
        z.strictObject({ position: z.int().check(z.gte(0)), hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)) }),
      ),
    }),
    answer: actAnswer(ChainProof),
    for: "audit.see",
  },
} as const satisfies Record<string, StaffCall>;
