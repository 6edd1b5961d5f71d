import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { Minor, PositiveMinor } from "./money.ts";
import { ProviderName } from "./payment-provider.ts";
import { PAYMENT_KINDS, PAYMENT_STATES, PAYMENT_WAITS } from "./payments.ts";
import type { StaffCall } from "./staff-call.ts";
import { ActDone, actAnswer, actBody, listOf, PlayerRef, page, Reason, When } from "./staff-call.ts";

/* Money that players add and withdraw, as staff sees it (record 0238). */

export const PaymentRow = z.object({
  id: OwnId,
  player: PlayerRef,
  /** As it was added with the player; null: none. */
  name: z.nullable(z.string()),
  kind: z.enum(PAYMENT_KINDS),
  way: z.string(),
  amount: PositiveMinor,
  moved: z.nullable(PositiveMinor),
  state: z.enum(PAYMENT_STATES),
  madeAt: When,
  /** When it came into its state. */
  at: When,
  until: z.nullable(When),
  /** What it waits for; null: it is over, and needs nothing. */
  waits: z.nullable(z.enum(PAYMENT_WAITS)),
  reason: z.nullable(z.string()),
  /** Who brought it into its state, as the audit log names them. */
  by: z.string(),
  /** What a person has to look at: another amount or currency, what cannot follow, money that went back, no end though the provider answers; null: nothing, or somebody looked. */
  trouble: z.nullable(z.enum(["differs", "contradicts", "wentBack", "late"])),
  /** What its player still owes of it, minor units. */
  owed: Minor,
});
export type PaymentRow = z.infer<typeof PaymentRow>;

/** One payment with its steps, and with what its provider is to do and said. */
export const PaymentWhole = z.extend(PaymentRow, {
  /** Each state that it had, the oldest first; `by` as the audit log names them. */
  steps: z.array(z.object({ state: z.enum(PAYMENT_STATES), at: When, by: z.string(), reason: z.nullable(z.string()) })),
  /** The ledger's transfer of it; null: nothing moved. */
  transfer: z.nullable(z.string()),
  /** The approval that waits for a second signature. */
  approval: z.nullable(OwnId),
  /** Null: it is paid at the desk. The provider knows it by the same `id`. */
  provider: z.nullable(
    z.object({
      /** False: it is no more in `PROVIDERS`, and is called no more. */
      configured: z.boolean(),
      /** What it is to do now; `watch`: to say how far it is; null: nothing. */
      wants: z.nullable(z.enum(["deposit", "capture", "withdraw", "reverse", "watch"])),
      /** Calls for it. */
      tries: z.int(),
      /** When it is called next; null: not any more. */
      nextAt: z.nullable(When),
      /** Since when it does not answer about this payment; null: it does. */
      silentSince: z.nullable(When),
      /** Why there was no answer, or what the answer was that a person has to look at; null: there was none of these. */
      lastAnswer: z.nullable(z.string()),
      /** Who looked at what went wrong, and when; null: no person did, or nothing went wrong. */
      looked: z.nullable(z.object({ by: z.string(), at: When })),
    }),
  ),
});

export const staffPaymentCalls = {
  /** The payment of a code that a player shows. It is paid by `deposit` or `withdraw` with its id. */
  paymentOfCode: { method: "GET", path: "payments/code/{code}", answer: PaymentRow, for: "wallet.move" },
  payments: {
    method: "GET",
    path: "payments",
    query: z.strictObject({
      ...page,
      /** `open`: undecided ones, the oldest first. `troubled`: what a person has to look at. Else the newest first. */
      state: z._default(z.enum(["open", "troubled", "all"]), "open"),
      way: z.optional(ProviderName),
      kind: z.optional(z.enum(PAYMENT_KINDS)),
    }),
    answer: z.extend(listOf(PaymentRow), {
      /** The desk, the providers of the configuration, and those with open payments. */
      ways: z.array(z.string()),
    }),
    for: ["wallet.move", "shift.see"],
  },
  payment: { method: "GET", path: "payments/{id}", answer: PaymentWhole, for: ["wallet.move", "shift.see"] },
  /** Lets a withdrawal that is reviewed go to its provider; where two people are needed, once the second one signs. */
  approvePayment: {
    method: "POST",
    path: "payments/{id}/approve",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "wallet.move",
    stepUp: true,
  },
  /** A person looked at what went wrong: the player may play again. What the wallet has is taken towards what is owed. */
  settlePayment: {
    method: "POST",
    path: "payments/{id}/settle",
    body: actBody({ reason: Reason }),
    answer: actAnswer(z.object({ owed: Minor })),
    for: "player.lock",
    stepUp: true,
  },
  /**
   * Ends one that is not paid; held money is in the wallet again. The player reads the reason. A deposit through a provider is over once the provider
   * has given it back.
   */
  refusePayment: {
    method: "POST",
    path: "payments/{id}/refuse",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "wallet.move",
  },
} as const satisfies Record<string, StaffCall>;
