import type { PaymentKind } from "@longarm/contract/payments";
import { DESK } from "@longarm/contract/payments";
import type { AnyDb } from "../../../deps.ts";
import type { PaymentRow } from "../../payments/book/index.ts";
import { AT_DESK, changePayment, holdOf, lockPayment } from "../../payments/book/index.ts";
import { Refused } from "../sign-in/index.ts";

/** What a cashier does for a payment: this player's, of its whole amount. */
export type DeskPayment = {
  readonly id: string;
  readonly kind: "deposit" | "withdraw";
  readonly playerId: string;
  readonly amount: number;
};

const KINDS = { deposit: "deposit", withdraw: "withdrawal" } as const satisfies Record<string, PaymentKind>;

/** Locks the payment that a cashier makes. @throws Refused: it is another one than that, or over. */
export async function lockAtDesk(trx: AnyDb, { id, kind, playerId, amount }: DeskPayment): Promise<PaymentRow> {
  const row = await lockPayment(trx, id);
  if (row === undefined || row.playerId !== playerId || row.kind !== KINDS[kind] || row.way !== DESK)
    throw new Refused("thing.unknown", { kind: "payment" });
  if (row.amount !== amount)
    throw new Refused("act.refused", { sentence: "The amount is another one than the player requested." });
  if (row.isOver || !(AT_DESK as readonly string[]).includes(row.state))
    throw new Refused("act.refused", {
      sentence: "This code is used, cancelled or too old: the player gets a new one.",
    });
  return row;
}

/** The hold that a payment of a withdrawal uses up. */
export const heldFor = ({ id, kind }: PaymentRow): string | undefined =>
  kind === "withdrawal" ? holdOf(id) : undefined;

/** A second person looks at it first: until then its code stays good. */
export async function waitAtDesk(trx: AnyDb, row: PaymentRow, by: string, forMs: number): Promise<void> {
  await changePayment(trx, row, { to: row.kind === "deposit" ? "authorised" : "inReview", by, atLeastMs: forMs });
}

/** The cash has changed hands. @throws Refused */
export async function paidAtDesk(
  trx: AnyDb,
  row: PaymentRow,
  { by, transferId }: { readonly by: string; readonly transferId: string },
): Promise<void> {
  const to = row.kind === "deposit" ? "captured" : "paid";
  const moved = { amount: row.amount, transferId };
  if (!(await changePayment(trx, row, { to, by, moved }))) throw new Refused("approval.changed");
}
