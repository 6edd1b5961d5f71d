import { createHash } from "node:crypto";

/** An entry as the database returns it in text, so that nothing is read into a number or a date and written otherwise. */
export type EntryText = {
  readonly id: string;
  /** UTC with microseconds: `2026-11-21T21:15:05.123456Z`. */
  readonly at: string;
  readonly source: string;
  readonly type: string;
  readonly actor: string;
  readonly subject: string | null;
  readonly address: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly facts: string;
};

/** The hash before the first link. */
export const GENESIS: Buffer = Buffer.alloc(32);

/** The hash of a link: over the one before it, its position and the whole entry. The database has the same in `audit.canonical`. */
export function linkHash(previous: Buffer, position: number, entry: EntryText): Buffer {
  const { id, at, source, type, actor, subject, address, before, after, facts } = entry;
  const canonical = [String(position), id, at, source, type, actor, subject, address, before, after, facts]
    .map(field)
    .join("");
  return createHash("sha256").update(previous).update(canonical, "utf8").digest();
}

const field = (value: string | null): string => (value === null ? "-;" : `${Buffer.byteLength(value)}:${value};`);
