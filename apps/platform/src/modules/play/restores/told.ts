import type { Ask } from "@longarm/database/backup";
import { BackupProblem } from "@longarm/database/backup";

/** What a backup says of the platform's books, so that a restore finds it again. */
export type BooksTold = {
  /** Sums of the ledger; its balances together are always 0. */
  readonly ledger: {
    readonly accounts: string;
    readonly transfers: string;
    readonly postings: string;
    readonly moved: string;
  };
  /** Rules of the ledger that did not hold then. */
  readonly breaches: readonly string[];
  readonly players: string;
  /** The newest link of the audit log; null: it is empty. */
  readonly auditTail: { readonly position: string; readonly hash: string } | null;
};

/** Reads them in the transaction of a backup or a restore. */
export async function tellBooks(ask: Ask): Promise<BooksTold> {
  const [ledger] = await ask<BooksTold["ledger"]>(`select
    (select count(*)::text from ledger.accounts) as accounts, (select count(*)::text from ledger.transfers) as transfers,
    (select count(*)::text from ledger.postings) as postings,
    (select coalesce(sum(amount_minor) filter (where amount_minor > 0), 0)::text from ledger.postings) as moved`);
  const breaches = await ask<{ text: string }>(
    "select rule || ' ' || subject || ': ' || detail as text from ledger.breaches()",
  );
  const [players] = await ask<{ count: string }>("select count(*)::text as count from player");
  const [tail] = await ask<{ position: string; hash: string }>(
    "select position::text, encode(hash, 'hex') as hash from audit.links order by audit.links.position desc limit 1",
  );
  if (ledger === undefined || players === undefined) throw new Error("a count has no row");
  return { ledger, breaches: breaches.map(({ text }) => text), players: players.count, auditTail: tail ?? null };
}

/** @throws BackupProblem when the restored books are not those that were told, or break a rule that held then. */
export async function checkBooks(ask: Ask, told: Readonly<Record<string, unknown>>): Promise<void> {
  const now: Readonly<Record<string, unknown>> = await tellBooks(ask);
  for (const [name, value] of Object.entries(now))
    if (JSON.stringify(value) !== JSON.stringify(told[name]))
      throw new BackupProblem(`The restored ${name} is not what the backup says of it: nothing was restored.`);
}
