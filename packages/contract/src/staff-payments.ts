import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { PositiveMinor } from "./money.ts";
import { PAYMENT_KINDS, PAYMENT_STATES } from "./payments.ts";
import type { StaffCall } from "./staff-call.ts";
import { ActDone, actBody, listOf, PlayerRef, page, Reason, When } from "./staff-call.ts";

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
});
export type PaymentRow = z.infer<typeof PaymentRow>;

export const staffPaymentCalls = {
  /** The payment of a code that a player shows. It is paid by `deposit` or `withdraw` with its id. */
  paymentOfCode: { method: "GET", path: "payments/code/{code}", answer: PaymentRow, for: "wallet.move" },
  payments: {
    method: "GET",
    path: "payments",
    query: z.strictObject({ ...page, state: z._default(z.enum(["open", "all"]), "open") }),
    answer: listOf(PaymentRow),
    for: ["wallet.move", "shift.see"],
  },
  /** Ends one that is not paid; held money is in the wallet again. The player reads the reason. */
  refusePayment: {
    method: "POST",
    path: "payments/{id}/refuse",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "wallet.move",
  },
} as const satisfies Record<string, StaffCall>;
