import * as z from "zod/mini";
import type { StaffCall } from "./staff-call.ts";
import { actAnswer, actBody, lineOf, Reason, ShortText, When } from "./staff-call.ts";

/** One rule of a market. */
export const MarketRule = z.object({
  /** Its name in the program, `minCycleMs`. */
  name: z.string(),
  value: z.unknown(),
  /** The clause that prescribes it, with the date of the text and what of it was read; null: ours. */
  source: z.nullable(
    z.object({ clause: z.string(), version: z.string(), seen: z.enum(["text", "summary", "unchecked"]) }),
  ),
});
export type MarketRule = z.infer<typeof MarketRule>;

/** Whose market it is. */
const MarketScope = z.enum(["venue", "player", "machine"]);

export const MarketsAnswer = z.object({
  markets: z.array(
    z.object({ id: z.string(), name: z.string(), currency: z.nullable(z.string()), rules: z.array(MarketRule) }),
  ),
  /** What was chosen: the venue's first. `name`: of the player or machine. */
  choices: z.array(
    z.object({
      scope: MarketScope,
      subject: z.string(),
      name: z.string(),
      market: z.nullable(z.string()),
      by: z.string(),
      at: When,
      reason: z.string(),
    }),
  ),
  asOf: When,
});
export type MarketsAnswer = z.infer<typeof MarketsAnswer>;

/** A rule that changes, and which way: `stricter` protects more than before. */
export const RuleChange = z.object({
  name: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  becomes: z.enum(["stricter", "looser", "different"]),
});
export type RuleChange = z.infer<typeof RuleChange>;

/** Markets, and which one holds for whom. */
export const marketCalls = {
  markets: { method: "GET", path: "markets", answer: MarketsAnswer, for: "settings.see" },
  /** Chooses a market for the venue, a player or a machine; null: none of their own. Of all the strictest rule holds. A dry run says what would change. What makes any rule looser needs a second person. */
  chooseMarket: {
    method: "POST",
    path: "markets",
    body: actBody({
      scope: MarketScope,
      /** Id of the machine, or username or id of the player; absent: the venue. */
      subject: z.optional(ShortText),
      market: z.nullable(lineOf(20)),
      /** What holds, as the person saw it; null: nothing was chosen. Absent: whatever holds. */
      expected: z.optional(z.nullable(lineOf(20))),
      /** The venue's currency, in which the market's amounts hold number for number; wanted where the market has amounts of a currency. */
      amountsIn: z.optional(z.string().check(z.regex(/^[A-Z]{3}$/))),
      reason: Reason,
    }),
    answer: actAnswer(
      z.object({
        scope: MarketScope,
        subject: z.string(),
        changes: z.array(RuleChange),
        /** Its rules that are amounts, and their currency; null: none. */
        amounts: z.optional(z.nullable(z.object({ currency: z.string(), rules: z.array(z.string()) }))),
      }),
    ),
    for: "settings.change",
    stepUp: true,
  },
} as const satisfies Record<string, StaffCall>;
