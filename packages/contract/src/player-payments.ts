import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { Failure } from "./http.ts";
import { OwnId, TransferId } from "./ids.ts";
import { Minor, PositiveMinor } from "./money.ts";
import { PAYMENT_KINDS, PAYMENT_STATES } from "./payments.ts";

/* Money that a player adds or withdraws, and what became of it (contract.md section 2, record 0238). Apart from `http.ts`: the lobby does not load it. */

const When = z.iso.datetime({ offset: true });

export const Payment = z.object({
  id: OwnId,
  kind: z.enum(PAYMENT_KINDS),
  /** Of `ways`; a way that is off by now may be missing there. */
  way: z.string(),
  /** What was wanted, and what moved when it is less; minor units. */
  amount: PositiveMinor,
  moved: z.nullable(PositiveMinor),
  state: z.enum(PAYMENT_STATES),
  madeAt: When,
  /** When it came into its state. */
  at: When,
  /** Until when it can be paid; null: nothing ends it by itself, or it is over. */
  until: z.nullable(When),
  /** What the desk types, while it can be paid there. */
  code: z.nullable(z.string()),
  /** Where the player continues at the provider; null: there is nothing to do there, or the way is the desk. */
  url: z.nullable(z.string().check(z.regex(/^https?:\/\//))),
  /** Of a refusal: the words of the one who refused, or the name of the problem where a rule did; null: none was given. */
  reason: z.nullable(z.string()),
  /** The player may end it. */
  mayCancel: z.boolean(),
});
export type Payment = z.infer<typeof Payment>;

export const PaymentWay = z.object({
  name: z.string(),
  kinds: z.array(z.enum(PAYMENT_KINDS)),
});

/** So many payments an answer has at most. */
export const PAYMENTS_SHOWN = 20;

export const PaymentsAnswer = z.object({
  /** The platform's clock when it answered. */
  now: When,
  ways: z.array(PaymentWay),
  /** Why nothing can be added now, as a call would answer it; null: something can. */
  depositClosed: z.nullable(Failure),
  /** What the deposit limit leaves, minor units; null: no limit. */
  depositLeft: z.nullable(Minor),
  /** Why nothing can be withdrawn now; null: something can. */
  withdrawalClosed: z.nullable(Failure),
  /** What can be withdrawn, minor units. */
  available: Minor,
  /** Open ones first; of each part the newest first. */
  payments: z.array(Payment),
});
export type PaymentsAnswer = z.infer<typeof PaymentsAnswer>;

/** Calls of a player about money to add and to withdraw; each change answers all as it is then. A platform without them answers 404. */
export const paymentCalls = {
  payments: { method: "GET", path: "player/payments", answer: PaymentsAnswer },
  requestPayment: {
    method: "POST",
    path: "player/payments",
    body: z.strictObject({
      /** Made by the page and kept for each repeat: the same id with the same content requests once. */
      id: TransferId,
      kind: z.enum(PAYMENT_KINDS),
      way: z.string().check(z.regex(/^[a-z][a-z0-9-]{0,31}$/)),
      amount: PositiveMinor,
    }),
    answer: PaymentsAnswer,
  },
  /** Ends one that no person has begun to pay. A withdrawal: only where the market lets a player take one back. */
  cancelPayment: {
    method: "POST",
    path: "player/payments/cancel",
    body: z.strictObject({ payment: OwnId }),
    answer: PaymentsAnswer,
  },
} as const satisfies Record<string, Call>;
