import { createHash } from "node:crypto";
import { auditCanonical } from "@longarm/contract/evidence/audit-link";
import type { AuditText } from "@longarm/contract/evidence/format";

/** An entry as the database returns it in text, so that nothing is read into a number or a date and written otherwise; `at` is UTC with microseconds. */
export type EntryText = AuditText;

/** The hash before the first link. */
export const GENESIS: Buffer = Buffer.alloc(32);

/** The hash of a link: over the one before it, its position and the whole entry. The database has the same in `audit.canonical`. */
export function linkHash(previous: Buffer, position: number, entry: EntryText): Buffer {
  return createHash("sha256").update(previous).update(auditCanonical(position, entry), "utf8").digest();
}
