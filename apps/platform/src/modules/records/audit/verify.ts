import { createHash } from "node:crypto";
import { auditCanonical } from "@longarm/contract/evidence/audit-link";
import type { AuditText } from "@longarm/contract/evidence/format";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import { entryColumns } from "./read.ts";

/** A link of the chain, written down outside of the database: what the log was then it must still be. */
export type Witness = { readonly position: number; readonly hash: string };

/** Something in the log is not as it was written. */
export type ChainBreach = {
  readonly is: "changed" | "removed" | "inserted" | "cut" | "otherThanWitness";
  /** Where in the chain; null: outside of it. */
  readonly position: number | null;
  readonly sentence: string;
};

export type ChainReport = {
  /** Links looked at. */
  readonly links: number;
  /** Entries that are not linked yet: they were written in the last moments. */
  readonly waiting: number;
  /** The newest link, to be kept elsewhere; null: the log is empty. */
  readonly tail: Witness | null;
  readonly breaches: readonly ChainBreach[];
};

/** Links read at once. */
const PAGE_ROWS = 5_000;
/** So many are named; a log that is wrong throughout need not be listed whole. */
const BREACHES_MAX = 100;

/** How long the whole log may be looked through, ms. */
const OUTSIDE_MS_MAX = 3_600_000;

/** Links what waits, until nothing does or another node is at it. @returns how many. */
export async function linkWaiting(db: AnyDb, atOnce: number): Promise<number> {
  let all = 0;
  for (;;) {
    const { rows } = await sql<{ linked: number }>`select audit.link_waiting(${atOnce}) as linked`.execute(db);
    const linked = rows[0]?.linked ?? 0;
    all += linked;
    if (linked < atOnce) return all;
  }
}

/**
 * Reads the whole log and proves it, by its own arithmetic and not by the database's: every entry is as it was written, none is missing,
 * none was put in, the order is the one in which they were linked. A chain cannot show that its end was cut off or that all of it
 * was made anew: a witness that was kept elsewhere shows that.
 */
export async function verifyChain(db: AnyDb, witnesses: readonly Witness[] = []): Promise<ChainReport> {
  const breaches: ChainBreach[] = [];
  const wanted = new Map(witnesses.map((witness) => [witness.position, witness]));
  const tell = (breach: ChainBreach) => {
    if (breaches.length < BREACHES_MAX) breaches.push(breach);
  };
  let last: { readonly position: number; readonly hash: Buffer } = { position: 0, hash: GENESIS };
  let links = 0;
  for await (const link of readLinks(db)) {
    links += 1;
    judge(link, last, tell);
    compare(link, wanted, tell);
    last = link;
  }
  for (const { position } of wanted.values())
    tell({
      is: "cut",
      position,
      sentence: `The chain ends at ${last.position}: what the witness saw at ${position} is gone.`,
    });
  for (const id of await outsideOfChain(db))
    tell({
      is: "inserted",
      position: null,
      sentence: `Entry ${id} stands outside of the chain and does not wait for its link: it was put in.`,
    });
  const tail = links === 0 ? null : { position: last.position, hash: last.hash.toString("hex") };
  return { links, waiting: await countWaiting(db), tail, breaches };
}

type Link = {
  readonly position: number;
  readonly hash: Buffer;
  readonly entryId: string;
  readonly entry: AuditText | null;
};
type Tell = (breach: ChainBreach) => void;

function judge({ position, hash, entryId, entry }: Link, last: { position: number; hash: Buffer }, tell: Tell): void {
  const gap = position !== last.position + 1;
  if (gap) {
    const from = last.position + 1;
    const which = from === position - 1 ? `Link ${from} is` : `Links ${from} to ${position - 1} are`;
    tell({
      is: "removed",
      position: from,
      sentence: `${which} gone, with ${from === position - 1 ? "its entry" : "their entries"}.`,
    });
  }
  if (entry === null) {
    tell({ is: "removed", position, sentence: `Entry ${entryId} at ${position} was removed.` });
    return;
  }
  // Without the link before it this one cannot be judged.
  if (!gap && !linkHash(last.hash, position, entry).equals(hash)) {
    const what = `${entry.type} of ${entry.at} by ${entry.actor}`;
    tell({
      is: "changed",
      position,
      sentence: `Entry ${entryId} at ${position} (${what}) is not what was linked there: it, its place or its link was changed.`,
    });
  }
}

function compare({ position, hash }: Link, wanted: Map<number, Witness>, tell: Tell): void {
  const witness = wanted.get(position);
  if (witness === undefined) return;
  wanted.delete(position);
  if (witness.hash.toLowerCase() !== hash.toString("hex"))
    tell({
      is: "otherThanWitness",
      position,
      sentence: `The chain up to ${position} is another than the witness saw: it was made anew.`,
    });
}

type LinkRow = { readonly position: number; readonly hash: Buffer; readonly entry_id: string } & {
  readonly [K in keyof AuditText]: AuditText[K] | null;
};

async function* readLinks(db: AnyDb): AsyncGenerator<Link> {
  let after = 0;
  for (;;) {
    const { rows } = await sql<LinkRow>`select l.position, l.hash, l.entry_id::text as entry_id, ${entryColumns}
      from audit.links l left join audit.entries e on e.id = l.entry_id
      where l.position > ${after} order by l.position limit ${PAGE_ROWS}`.execute(db);
    for (const { position, hash, entry_id: entryId, ...entry } of rows)
      yield { position, hash, entryId, entry: entry.id === null ? null : (entry as AuditText) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = last.position;
  }
}

/** Looks through the whole log in one statement, which takes its time once there are years of it. */
async function outsideOfChain(db: AnyDb): Promise<string[]> {
  return await db.transaction().execute(async (trx) => {
    await sql`select set_config('statement_timeout', ${String(OUTSIDE_MS_MAX)}, true)`.execute(trx);
    const { rows } = await sql<{ id: string }>`select e.id::text as id from audit.entries e
      where not exists (select from audit.links l where l.entry_id = e.id) and not exists (select from audit.waiting w where w.entry_id = e.id)
      order by e.id limit ${BREACHES_MAX}`.execute(trx);
    return rows.map(({ id }) => id);
  });
}

async function countWaiting(db: AnyDb): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`select count(*)::int as waiting from audit.waiting`.execute(db);
  return rows[0]?.waiting ?? 0;
}

/** The hash before the first link. */
const GENESIS: Buffer = Buffer.alloc(32);

/** The hash of a link: over the one before it, its position and the whole entry. The database has the same in `audit.canonical`. */
function linkHash(previous: Buffer, position: number, entry: AuditText): Buffer {
  return createHash("sha256").update(previous).update(auditCanonical(position, entry), "utf8").digest();
}
