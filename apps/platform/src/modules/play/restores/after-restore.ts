import type { Ask } from "@longarm/database/backup";

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
 * Changes what may not go on as it was at the backup (record 0086), in the transaction of the restore: every sign-in ends, whoever was
 * playing gets up, a transfer that was being asked is unknown until the machine's own record is read, no node and no socket is there any
 * more, and every machine is compared with the books before anybody sits down at it.
 */
export async function settleRestored(ask: Ask, { id, takenAt, fileSha256, by }: RestoreRun): Promise<Settled> {
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
