import type { AuditText, EvidenceAudit } from "@longarm/contract/evidence/format";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";

/** Columns of an entry `e` as text. */
export const entryColumns = sql`e.id::text as id, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, e.source, e.type,
  e.actor, e.subject, e.address, e.before::text as before, e.after::text as after, e.facts::text as facts`;

/** Which entries to read; an absent field restricts nothing. */
export type EntryFilter = {
  /** Not before this time (ISO 8601), and before that one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Any of these types. */
  readonly types?: readonly string[] | undefined;
  readonly actor?: string | undefined;
  readonly subject?: string | undefined;
  /** Only entries that are older than the one with this id. */
  readonly before?: string | undefined;
};

/** Entries read at once. */
const PAGE_ROWS = 2_000;

/** Entries in the order in which they were written, read by pages: a year of them takes no more memory than a page. */
export async function* readEntries(db: AnyDb, filter: EntryFilter): AsyncGenerator<AuditText> {
  let after = "0";
  for (;;) {
    const { rows } = await sql<AuditText>`select ${entryColumns} from audit.entries e
      where e.id > ${after}::bigint and ${conditions(filter)} order by e.id limit ${PAGE_ROWS}`.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = last.id;
  }
}

/** The newest entries, oldest of them first. @param most 1 to 10 000. */
export async function newestEntries(db: AnyDb, filter: EntryFilter, most: number): Promise<AuditText[]> {
  const { rows } = await sql<AuditText>`select ${entryColumns} from audit.entries e
    where ${conditions(filter)} order by e.id desc limit ${most}`.execute(db);
  return rows.reverse();
}

function conditions({ from, to, types, actor, subject, before }: EntryFilter) {
  return sql.join(
    [
      sql`true`,
      ...(from === undefined ? [] : [sql`e.at >= ${from}::timestamptz`]),
      ...(to === undefined ? [] : [sql`e.at < ${to}::timestamptz`]),
      ...(types === undefined ? [] : [sql`e.type = any(${[...types]}::text[])`]),
      ...(actor === undefined ? [] : [sql`e.actor = ${actor}`]),
      ...(subject === undefined ? [] : [sql`e.subject = ${subject}`]),
      ...(before === undefined ? [] : [sql`e.id < ${before}::bigint`]),
    ],
    sql` and `,
  );
}

/** Links of one subject that are read. */
const LINKS_MAX = 1_000;
type LinkText = AuditText & { readonly position: number; readonly previous: string; readonly hash: string };

/** What a recording and a question have in the chain of the log, with what proves each link. */
export async function linksAbout(
  db: AnyDb,
  { session, player, dispute }: { readonly session: string; readonly player: string; readonly dispute: string | null },
): Promise<EvidenceAudit["links"]> {
  const { rows } = await sql<LinkText>`select l.position::int as position, encode(l.hash, 'hex') as hash,
      coalesce(encode(b.hash, 'hex'), repeat('0', 64)) as previous, ${entryColumns}
    from audit.entries e join audit.links l on l.entry_id = e.id left join audit.links b on b.position = l.position - 1
    where (e.subject = ${`session:${session}`} and e.type = 'recording.anchored')
      or (e.subject = ${`player:${player}`} and e.type = 'player.dispute' and e.facts ->> 'dispute' = ${dispute})
    order by l.position limit ${LINKS_MAX}`.execute(db);
  return rows.map(({ position, previous, hash, ...entry }) => ({ position, previous, hash, entry }));
}

/** The newest link of the log; null: it is empty. */
export async function auditTail(db: AnyDb): Promise<EvidenceAudit["tail"]> {
  const { rows } = await sql<{ position: number; hash: string }>`
    select position::int as position, encode(hash, 'hex') as hash from audit.links order by position desc limit 1`.execute(
    db,
  );
  return rows[0] ?? null;
}
