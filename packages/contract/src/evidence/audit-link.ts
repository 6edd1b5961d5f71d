import { hexOf, sha256 } from "./container.ts";
import type { AuditText, EvidenceAudit } from "./format.ts";

/** What the hash of a link of the audit log is over, beside the hash before it. The database has the same in `audit.canonical`. */
export function auditCanonical(position: number, entry: AuditText): string {
  const { id, at, source, type, actor, subject, address, before, after, facts } = entry;
  return [String(position), id, at, source, type, actor, subject, address, before, after, facts].map(field).join("");
}

const lengthOf = (text: string): number => new TextEncoder().encode(text).length;
const field = (value: string | null): string => (value === null ? "-;" : `${lengthOf(value)}:${value};`);

/** Whether a link's hash is over what it says. */
export async function isLinked({ position, previous, hash, entry }: EvidenceAudit["links"][number]): Promise<boolean> {
  const before = Uint8Array.from(previous.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
  const canonical = new TextEncoder().encode(auditCanonical(position, entry));
  const both = new Uint8Array(before.length + canonical.length);
  both.set(before);
  both.set(canonical, before.length);
  return hexOf(before) === previous && (await sha256(both)) === hash;
}
