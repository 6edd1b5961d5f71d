import type { Database } from "@longarm/database/connection";

/** Rows written at a time: a statement may not take long. */
const PART = 20_000;

/**
 * Gives a player so many play sessions and wallet entries, in SQL and past the ledger, for tests and measurements of long histories:
 * the books of such a database are not right any more. The newest is a minute old, each other three minutes older than the next. The
 * first machine has only the oldest hundredth of the rows; every 200th entry is a jackpot, one of 1000 a hand pay.
 */
export async function writeLongHistory(
  pool: Database<unknown>["pool"],
  { playerId, machineIds, rows }: { playerId: string; machineIds: readonly string[]; rows: number },
): Promise<void> {
  const write = async (sql: string): Promise<void> => {
    for (let first = 1; first <= rows; first += PART)
      await pool.query(sql, [playerId, machineIds, rows, first, Math.min(first + PART - 1, rows)]);
  };
  // Reports add each play session to one row of its day: thousands of them in one statement would take minutes.
  await pool.query("alter table play_session disable trigger session_into_report");
  await Promise.all([write(SESSIONS), write(ENTRIES)]);
  await pool.query("alter table play_session enable trigger session_into_report");
  await Promise.all(["play_session", "wallet_entry"].map((table) => pool.query(`vacuum analyze ${table}`)));
}

/** Far above the numbers of entries that the ledger makes. */
const FIRST_ENTRY = 1_000_000_000;

/** Row `n` of `$3`, from `$4` to `$5`: its time and machine. */
const NUMBERED = `
  select n, now() - interval '1 minute' - ($3::int - n) * interval '3 minutes' as at,
    ($2::text[])[case when n <= $3::int / 100 then 1 else 2 + n % (cardinality($2::text[]) - 1) end] as machine
  from generate_series($4::int, $5::int) n`;

const SESSIONS = `
  insert into play_session (id, machine_id, player_id, started_at, ended_at, end_reason, net, wagered, games, free_spins)
  select $1::text || '.' || n, machine, $1, at, at + interval '2 minutes', 'left', n % 2001 - 1000, 2000, n % 90, n % 7
  from (${NUMBERED}) numbered`;

const ENTRIES = `
  insert into wallet_entry (player_id, entry_number, transfer_id, at, type, source, machine_id, amount, balance)
  select $1::text, ${FIRST_ENTRY} + n, $1 || '.' || n, at, type,
    case when type in (2, 3) then 'Wallet' when type in (4, 6) then 'Machine' else 'Cage' end,
    case when type in (1, 2) then '' else machine end,
    case when type in (2, 3) then -100 - n % 900 else 100 + n % 900 end, 1000000 + n % 5000
  from (select *, case when n % 200 = 0 then 6 when n % 1000 = 500 then 5 when n % 20 = 0 then 1 when n % 30 = 1 then 2
    when n % 2 = 0 then 3 else 4 end as type from (${NUMBERED}) numbered) typed`;
