import type { Kysely } from "kysely";
import { sql } from "kysely";
import { ledgerSide } from "./checks.ts";
import { playSide } from "./play-checks.ts";
import type { Scope } from "./scope.ts";
import { inPeriod, ofSession, transfersIn } from "./scope.ts";

export type { Scope } from "./scope.ts";

/** One check that was made. `breaches`: what does not hold, at most `SHOWN_MAX` of `count`. */
export type Proved = {
  readonly name: string;
  readonly about: string;
  readonly count: number;
  readonly breaches: readonly { readonly subject: string; readonly detail: string }[];
};

/** How much was checked, so that an empty period cannot pass as proof. */
export type Figures = {
  readonly transfers: number;
  readonly movedMinor: number;
  readonly sessions: number;
  readonly games: number;
  readonly readings: number;
};

export type Proof = {
  readonly agrees: boolean;
  readonly at: Date;
  readonly figures: Figures;
  readonly checks: readonly Proved[];
};

/** Lines of one check that are shown. */
const SHOWN_MAX = 20;
const PROOF_MS_MAX = 3_600_000;

/**
 * Proves that sessions, games, transfers and ledger add up, in one snapshot, beside a running platform: it locks nothing and waits for
 * nobody.
 */
export async function prove(db: Kysely<unknown>, scope: Scope): Promise<Proof> {
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute((trx) => proveWithin(trx, scope));
}

/** The same in the caller's transaction, whatever it sees. */
export async function proveWithin(trx: Kysely<unknown>, scope: Scope): Promise<Proof> {
  await sql`select set_config('statement_timeout', ${String(PROOF_MS_MAX)}, true),
    set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(trx);
  const checks: Proved[] = [];
  for (const { name, about, breaches } of [...ledgerSide, ...playSide]) {
    const query = breaches(scope);
    if (query === null) continue;
    const found = await sql<{ subject: string; detail: string; count: number }>`
      select subject, detail, count(*) over () as count from (${query}) breach limit ${SHOWN_MAX}`.execute(trx);
    const shown = found.rows.map(({ subject, detail }) => ({ subject, detail }));
    checks.push({ name, about, count: found.rows[0]?.count ?? 0, breaches: shown });
  }
  const agrees = checks.every(({ count }) => count === 0);
  return { agrees, at: rows[0]?.at ?? new Date(0), figures: await figuresOf(trx, scope), checks };
}

async function figuresOf(trx: Kysely<unknown>, scope: Scope): Promise<Figures> {
  const { rows } = await sql<Figures>`
    select t.transfers, t."movedMinor",
      (select count(*) from play_session p where ${inPeriod(scope, "p.started_at")} and ${ofSession(scope, "p.id")}) as sessions,
      (select count(*) from game g where ${inPeriod(scope, "g.taken_at")} and ${ofSession(scope, "g.play_session_id")}) as games,
      (select count(*) from meter_reading r where ${inPeriod(scope, "r.taken_at")} and ${ofSession(scope, "r.play_session_id")}) as readings
    from (select count(*) as transfers, coalesce(sum(t.amount_minor), 0)::bigint as "movedMinor"
      from ${transfersIn(scope)} where ${inPeriod(scope, "t.created_at")}) t`.execute(trx);
  const [figures] = rows;
  if (figures === undefined) throw new Error("the figures of a proof gave no row");
  return figures;
}
