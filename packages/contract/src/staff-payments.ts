import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { Minor, PositiveMinor } from "./money.ts";
import { PAYMENT_KINDS, PAYMENT_STATES } from "./payments.ts";
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
  until: z.nullable(When),
  reason: z.nullable(z.string()),
  /** Who brought it into its state, as the audit log names them. */
  by: z.string(),
  /** What a person has to look at: another amount or currency, what cannot follow, money that went back, no end though the provider answers; null: nothing, or somebody looked. */
  trouble: z.nullable(z.enum(["differs", "contradicts", "wentBack", "late"])),
  /** What its player still owes of it, minor units. */
  owed: Minor,
});
export type PaymentRow = z.infer<typeof PaymentRow>;

export const staffPaymentCalls = {
  /** The payment of a code that a player shows. It is paid by `deposit` or `withdraw` with its id. */
  paymentOfCode: { method: "GET", path: "payments/code/{code}", answer: PaymentRow, for: "wallet.move" },
  payments: {
    method: "GET",
    path: "payments",
    query: z.strictObject({ ...page, state: z._default(z.enum(["open", "troubled", "all"]), "open") }),
    answer: listOf(PaymentRow),
    for: ["wallet.move", "shift.see"],
  },
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
