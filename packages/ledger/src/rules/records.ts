import type { AccountAddress } from "./address.ts";
import type { About, TransferKind } from "./commands.ts";

/** One immutable, balanced move of money. Amounts are minor units. */
export type Transfer = {
  readonly id: string;
  readonly kind: TransferKind | "correction";
  readonly from: AccountAddress;
  readonly to: AccountAddress;
  readonly amountMinor: number;
  readonly about: About;
  /** The hold that it resolved. */
  readonly holdId: string | null;
  /** The transfer that it corrects. */
  readonly corrects: string | null;
  /** By the database's clock. */
  readonly createdAt: Date;
  /** Balances that it left. */
  readonly fromBalanceMinor: number;
  readonly toBalanceMinor: number;
};

/** Money set aside on `from` until it is posted or void. */
export type Hold = {
  readonly id: string;
  readonly kind: TransferKind;
  readonly from: AccountAddress;
  readonly to: AccountAddress;
  readonly amountMinor: number;
  readonly about: About;
  readonly status: "open" | "posted" | "void";
  readonly postedMinor: number | null;
  readonly voidReason: string | null;
  /** The transfer it became. */
  readonly transferId: string | null;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
};

/** One account now. `availableMinor` = `balanceMinor` − `heldMinor`. An account nobody used yet is all zero. */
export type Account = {
  readonly address: AccountAddress;
  readonly balanceMinor: number;
  readonly heldMinor: number;
  readonly availableMinor: number;
};

/** One row of an account's statement. */
export type StatementRow = {
  /** Counts 1, 2, 3 … per account, without gaps. */
  readonly entryNumber: number;
  readonly transferId: string;
  readonly kind: Transfer["kind"];
  /** What the account gained (positive) or gave (negative). */
  readonly amountMinor: number;
  /** The balance after it. */
  readonly balanceMinor: number;
  /** The other side. */
  readonly counterparty: AccountAddress;
  readonly about: About;
  readonly holdId: string | null;
  readonly corrects: string | null;
  readonly createdAt: Date;
};

/** Newest first. `nextBefore` asks for the page after it; null at the end. */
export type Statement = { readonly rows: readonly StatementRow[]; readonly nextBefore: number | null };

/** A record as the database writes it in JSON: instants are text. */
type Raw<Record> = {
  [Key in keyof Record]: Date extends Record[Key] ? string | Extract<Record[Key], null> : Record[Key];
};

export type RawTransfer = Raw<Transfer>;
export type RawHold = Raw<Hold>;

export function toTransfer(raw: RawTransfer): Transfer {
  return { ...raw, createdAt: new Date(raw.createdAt) };
}

export function toHold(raw: RawHold): Hold {
  return {
    ...raw,
    createdAt: new Date(raw.createdAt),
    resolvedAt: raw.resolvedAt === null ? null : new Date(raw.resolvedAt),
  };
}
