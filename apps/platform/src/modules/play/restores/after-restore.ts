import { BackupProblem } from "@longarm/database/backup/format";
import type { Query } from "@longarm/database/backup/transaction";

export type RestoreRun = {
  readonly id: string;
  /** When the backup was taken, ISO 8601. */
  readonly takenAt: string;
  readonly fileSha256: string;
  /** Who restores it. */
  readonly by: string;
};

/** How much of it there was. */
export type Settled = {
  readonly signIns: number;
  readonly sessions: number;
  readonly transfers: number;
  readonly machines: number;
};

/**
 * Changes what may not continue as it was at the backup (record 0086), in the transaction of the restore: every sign-in and every play session
 * ends, a transfer that was under way is unknown until the machine's own record is read, links and sockets of nodes are forgotten, and every
 * machine is compared with the books before a player sits down at it.
 */
export async function settleRestored(ask: Query, { id, takenAt, fileSha256, by }: RestoreRun): Promise<Settled> {
  await ask("select set_config('longarm.actor', $1, true)", [`staff:${by}`.slice(0, 200)]);
  await ask("insert into restore_run (id, taken_at, file_sha256, restored_by) values ($1, $2, $3, $4)", [
    id,
    takenAt,
    fileSha256,
    by,
  ]);
  const signIns = await ask(
    "update auth_session set ended_at = now(), ended_reason = 'restored' where ended_at is null returning jti",
  );
  await ask("delete from agent_link");
  const transfers = await ask("update machine_transfer set state = 'unknown' where state = 'asking' returning id");
  const sessions =
    await ask(`update seat set holder_socket = null, holder_node = null, holder_until = null, state = 'agentAway',
    ending = coalesce(ending, 'house'), due_at = clock_timestamp() + interval '10 minutes' where state <> 'free' returning machine_id`);
  const machines = await ask(
    `insert into restored_machine (machine_id, restore_id, epoch)
      select m.id, $1, coalesce(s.epoch, 0) from machine m left join seat s on s.machine_id = m.id
      on conflict (machine_id) do update set restore_id = excluded.restore_id, epoch = excluded.epoch, first_seq = null, compared_at = null, moved = null
      returning machine_id`,
    [id],
  );
  await ask("select audit.note('staff.did', $1, null, null, null, null, $2::jsonb)", [
    `staff:${by}`,
    JSON.stringify({ did: "restored a backup", takenAt, fileSha256 }),
  ]);
  return { signIns: signIns.length, sessions: sessions.length, transfers: transfers.length, machines: machines.length };
}

/** What a backup records of the platform's books, so that a restore finds it again. */
export type BooksSummary = {
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
export async function readBooks(ask: Query): Promise<BooksSummary> {
  const [ledger] = await ask<BooksSummary["ledger"]>(`select
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

/** @throws BackupProblem when the restored books are not those of the backup, or break a rule that held then. */
export async function checkBooks(ask: Query, told: Readonly<Record<string, unknown>>): Promise<void> {
  const now: Readonly<Record<string, unknown>> = await readBooks(ask);
  for (const [name, value] of Object.entries(now))
    if (JSON.stringify(value) !== JSON.stringify(told[name]))
      throw new BackupProblem(`The restored ${name} is not what the backup says of it: nothing was restored.`);
}
