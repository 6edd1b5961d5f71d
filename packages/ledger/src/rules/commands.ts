import { PositiveMinor } from "@longarm/contract/money";
import * as z from "zod/mini";
import { AccountAddress } from "./address.ts";
import type { Refused } from "./outcome.ts";
import { refuse } from "./outcome.ts";

/** Most characters of an `about`, written as JSON. */
export const ABOUT_CHARS_MAX = 4_000;

/** A value that JSON can write. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * What a transfer was for, kept with it for ever and shown in statements. These names have one meaning; others may be added.
 * It belongs to the content of a command: a repeat must carry the same.
 */
export type About = {
  readonly playSessionId?: string;
  readonly machineId?: string;
  readonly gameNumber?: number;
  /** Who asked: `player:…`, `staff:…`, `platform`. */
  readonly actor?: string;
  readonly reason?: string;
  readonly [key: string]: Json | undefined;
};

/** Text that PostgreSQL cannot keep: the zero character and halves of a surrogate pair. */
const isKeepable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === "boolean") return true;
  if (typeof value === "string") return isKeepable(value);
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth - 1));
  return Object.entries(value).every(
    ([key, item]) => isKeepable(key) && (item === undefined || isJson(item, depth - 1)),
  );
}

const DEPTH_MAX = 8;

function isAbout(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return isJson(value, DEPTH_MAX) && JSON.stringify(value).length <= ABOUT_CHARS_MAX;
}

/** Checks an `about`: an object of plain JSON, at most 4,000 characters and 8 levels. */
export const About = z.custom<About>(
  isAbout,
  "must be an object of plain JSON, at most 4000 characters and 8 levels deep",
);

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
  "fee",
  "suspense",
  "chargeBack",
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

/** Reads a command by its schema. A wrong amount has its own refusal, since a player can cause it. */
export function parseCommand<Output>(
  schema: z.ZodMiniType<Output>,
  command: unknown,
): { is: "read"; command: Output } | Refused {
  const read = z.safeParse(schema, command);
  if (read.success) return { is: "read", command: read.data };
  const [issue] = read.error.issues;
  const at = issue?.path.join(".") ?? "";
  if (read.error.issues.every(({ path }) => path[0] === "amountMinor")) return refuse("transfer.amount_outside_limits");
  return refuse("request.malformed", `${at || "command"}: ${issue?.message ?? "malformed"}`);
}
