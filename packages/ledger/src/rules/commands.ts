import { PositiveMinor } from "@longarm/contract/money";
import * as z from "zod/mini";
import { About } from "./about.ts";
import { AccountAddress } from "./address.ts";

/** What a transfer is. `correction` is made by `correct` alone. */
export const TransferKind = z.enum([
  "deposit",
  "withdraw",
  "cashIn",
  "cashOut",
  "handPay",
  "jackpot",
  "game",
  "discount",
  "bonus",
  "suspense",
]);
export type TransferKind = z.infer<typeof TransferKind>;

/** The id of a money command: made by whoever asks first, the same in every repeat, kept for ever. 1 to 64 characters. */
export const CommandId = z
  .string()
  .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/, "must be 1 to 64 letters, digits and _ . : -"));

/** Why a hold was voided or a transfer corrected: a sentence for people. */
const Reason = z.string().check(
  z.minLength(1),
  z.maxLength(500),
  z.refine((text) => !text.includes("\0") && text.isWellFormed(), "must be plain text"),
);

const Move = z
  .strictObject({
    id: CommandId,
    kind: TransferKind,
    from: AccountAddress,
    to: AccountAddress,
    /** Minor units, 1 to 9,000,000,000,000. */
    amountMinor: PositiveMinor,
    about: z._default(About, {}),
  })
  .check(z.refine(({ from, to }) => from !== to, "from and to must be two accounts"));

/** Move money now. */
export const TransferCommand = Move;
export type TransferCommand = z.input<typeof TransferCommand>;

/** Set money aside for a transfer that will be decided later. */
export const HoldCommand = Move;
export type HoldCommand = z.input<typeof HoldCommand>;

/** Resolve a hold with what really happened: all of it or a part; the rest is free again. */
export const PostCommand = z.strictObject({
  holdId: CommandId,
  amountMinor: PositiveMinor,
  /** The transfer's own id. Default: the hold's. */
  id: z.optional(CommandId),
  /** Added to what the hold said. */
  about: z._default(About, {}),
});
export type PostCommand = z.input<typeof PostCommand>;

/** Free a hold: nothing moved. */
export const VoidCommand = z.strictObject({ holdId: CommandId, reason: Reason });

/** Move back what a transfer moved by mistake. */
export const CorrectCommand = z.strictObject({
  id: CommandId,
  /** The transfer that was wrong. */
  transferId: CommandId,
  /** Default: all that earlier corrections of it have left. */
  amountMinor: z.optional(PositiveMinor),
  reason: Reason,
  /** Who decided it. */
  actor: z.string().check(z.minLength(1), z.maxLength(100)),
  about: z._default(About, {}),
});
export type CorrectCommand = z.input<typeof CorrectCommand>;
