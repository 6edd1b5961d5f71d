import type { TermsGate } from "@longarm/contract/player-terms";
import type { Problem } from "@longarm/contract/problems";
import type { Language } from "@longarm/contract/settings";
import type { TermsTexts, TermsWords } from "@longarm/contract/staff-terms";
import type { ColumnType } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Rules } from "../markets/index.ts";

/** `migrations/protection`: rows are only added. */
export type TermsTables = {
  terms_version: {
    number: number;
    valid_from: ColumnType<Date, never, never>;
    texts: ColumnType<TermsTexts, never, never>;
    entered_by: string;
    reason: string;
    entered_at: ColumnType<Date, never, never>;
  };
  terms_acceptance: { player_id: string; number: number; accepted_at: ColumnType<Date, never, never> };
};
type Db = AnyDb;

/** A version as it was entered. */
export type TermsVersion = {
  readonly number: number;
  readonly validFrom: Date;
  readonly texts: TermsTexts;
  readonly by: string;
  readonly reason: string;
  readonly at: Date;
  /** `waits`: its time has not come; `holds`; `earlier`: a later one holds. */
  readonly state: "waits" | "holds" | "earlier";
  /** Players who accepted it. */
  readonly accepted: number;
};

/** Versions, the newest first. `below`: only older numbers. */
export async function listTerms(
  db: Db,
  { below = null, number = null, limit }: { below?: number | null; number?: number | null; limit: number },
): Promise<TermsVersion[]> {
  const { rows } = await sql<TermsVersion>`
    select v.number, v.valid_from as "validFrom", v.texts, v.entered_by as "by", v.reason, v.entered_at as "at",
      case when v.number = terms_now() then 'holds' when v.valid_from > clock_timestamp() and v.number > coalesce(terms_now(), 0) then 'waits' else 'earlier' end as state,
      (select count(*) from terms_acceptance a where a.number = v.number)::int as accepted
    from terms_version v
    where (${below}::int is null or v.number < ${below}::int) and (${number}::int is null or v.number = ${number}::int)
    order by v.number desc limit ${limit}`.execute(db);
  return rows;
}

export type NewTerms = {
  /** The newest number as the person saw it; 0: none. */
  readonly expected: number;
  /** Null, or a time that is over: it holds at once. ISO 8601 in UTC. */
  readonly validFrom: string | null;
  readonly texts: TermsTexts;
  readonly by: string;
  readonly reason: string;
};

/** Adds a version. Undefined: somebody else has added one since. */
export async function addTerms(
  trx: Db,
  { expected, validFrom, texts, by, reason }: NewTerms,
): Promise<{ number: number; validFrom: Date } | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended('terms', 0))`.execute(trx);
  const { rows } = await sql<{ number: number; validFrom: Date }>`
    insert into terms_version (number, valid_from, texts, entered_by, reason)
    select ${expected}::int + 1, greatest(coalesce(${validFrom}::timestamptz, clock_timestamp()), clock_timestamp()), ${JSON.stringify(texts)}::jsonb, ${by}, ${reason}
    where ${expected}::int = (select coalesce(max(number), 0) from terms_version)
    returning number, valid_from as "validFrom"`.execute(trx);
  return rows[0];
}

/** The version that holds and that the player has not accepted; null: none waits. */
export async function termsDue(db: Db, playerId: string): Promise<number | null> {
  const { rows } = await sql<{ due: number | null }>`
    select terms_now() as due where not exists (
      select from terms_acceptance a where a.player_id = ${playerId} and a.number = terms_now())`.execute(db);
  return rows[0]?.due ?? null;
}

/** Why the terms keep a player from play or deposits; null: they do not. Problem: terms.pending. */
export async function termsProblem(
  db: Db,
  playerId: string,
  gate: TermsGate,
  { termsBefore }: Pick<Rules, "termsBefore">,
): Promise<Problem | null> {
  if (!termsBefore.includes(gate) || (await termsDue(db, playerId)) === null) return null;
  return { name: "terms.pending" };
}

/** Accepts a version, once. False: it is not the one that holds. */
export async function acceptTerms(db: Db, playerId: string, number: number): Promise<boolean> {
  const { rows } = await sql<{ holds: boolean }>`
    with accepted as (
      insert into terms_acceptance (player_id, number) select ${playerId}, ${number}::int where terms_now() = ${number}::int
      on conflict do nothing returning number)
    select coalesce(terms_now() = ${number}::int, false) as holds`.execute(db);
  return rows[0]?.holds === true;
}

/** A version as a player sees it. */
export type SeenTerms = {
  readonly number: number;
  readonly validFrom: Date;
  readonly texts: TermsTexts;
  readonly acceptedAt: Date | null;
};

/** What has held so far, the newest first, with what the player accepted; at most `limit`. `number`: that one alone. */
export async function termsOf(
  db: Db,
  playerId: string,
  { number = null, limit }: { number?: number | null; limit: number },
): Promise<SeenTerms[]> {
  const { rows } = await sql<SeenTerms>`
    select v.number, v.valid_from as "validFrom", v.texts, a.accepted_at as "acceptedAt"
    from terms_version v left join terms_acceptance a on a.number = v.number and a.player_id = ${playerId}
    where v.valid_from <= clock_timestamp() and (${number}::int is null or v.number = ${number}::int)
    order by v.number desc limit ${limit}`.execute(db);
  return rows;
}

/** The text in the wanted language, else in English, Turkish or Arabic. */
export function wordsIn(texts: TermsTexts, wanted: Language): { language: Language; words: TermsWords } {
  for (const language of [wanted, "en", "tr", "ar"] as const) {
    const words = texts[language];
    if (words !== undefined) return { language, words };
  }
  throw new Error("terms have a text in one language at least");
}
