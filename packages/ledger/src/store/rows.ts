import type { Hold, Transfer } from "../rules/records.ts";

/** Records come from the database as JSON: all but the instants is as we want it. */
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
