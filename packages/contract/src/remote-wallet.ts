import * as z from "zod/mini";
import { Minor, PositiveMinor } from "./money.ts";

/*
 * What an operator's own wallet answers (docs/operating/remote-wallet.md). The platform calls it by POST with JSON, signed as Standard Webhooks 1.0
 * signs: `webhook-id` is the call's own, the id inside the body is that of the movement, which is the same in every repeat.
 */

/** Calls below the address of the operator's wallet. */
export const WALLET_CALLS = ["balance", "debit", "credit", "undo"] as const;
export type WalletCall = (typeof WALLET_CALLS)[number];

/** How long the platform waits for an answer, ms. What comes later is no answer. */
export const WALLET_ANSWER_MS = 3_000;
/** A longer answer is none. */
export const WALLET_ANSWER_BYTES_MAX = 4_096;

const Player = z.object({
  /** The platform's id of the player. */
  player: z.string(),
  /** ISO 4217. */
  currency: z.string(),
});
const Movement = z.object({
  ...Player.shape,
  /** Of the movement, 1 to 64 letters, digits and `_ . : -`: the same in every repeat, never used for another. */
  id: z.string(),
  /** Minor units. */
  amount: PositiveMinor,
});

/** Bodies of the calls. */
export const WalletRequests = {
  balance: Player,
  /** Takes the amount, once, if the player has it. */
  debit: z.object({ ...Movement.shape, machine: z.string() }),
  /** Gives the amount, once: also after the session, and to a player who is locked. It is never refused. */
  credit: Movement,
  /** Takes a debit back, once. A debit that never arrived is done too, and refused when it arrives later. */
  undo: Movement,
} as const satisfies Record<WalletCall, z.ZodMiniType>;

const Done = z.object({ is: z.literal("done"), balance: z.optional(Minor) });

/** Why a debit is refused: the player has too little, is locked, is not known, or may not now. */
export const DEBIT_REFUSALS = ["insufficient", "locked", "unknownPlayer", "notNow"] as const;

/** Answers with HTTP 200. Every other status, and every other body, is no answer: a debit is then undone, an undo or a credit is sent again. */
export const WalletAnswers = {
  balance: z.object({ balance: Minor }),
  debit: z.discriminatedUnion("is", [Done, z.object({ is: z.literal("refused"), reason: z.enum(DEBIT_REFUSALS) })]),
  credit: Done,
  undo: Done,
} as const satisfies Record<WalletCall, z.ZodMiniType>;
