import type { Database } from "@longarm/database/connection";

/** Rows written at a time: a statement may not take long. */
const PART = 50_000;

/**
 * Gives the ledger so many deposits of a player, with both postings of each, in SQL and past its triggers (the connection must have
 * `session_replication_role=replica`): the books of such a database are not right any more. They are as old as those of `writeLongHistory`.
 */
export async function writeLongLedger(
  pool: Database<unknown>["pool"],
  { playerId, rows }: { readonly playerId: string; readonly rows: number },
): Promise<void> {
  const write = async (sql: string): Promise<void> => {
    for (let first = 1; first <= rows; first += PART)
      await pool.query(sql, [playerId, rows, first, Math.min(first + PART - 1, rows)]);
  };
  await Promise.all([write(TRANSFERS), write(POSTINGS)]);
  await Promise.all(["transfers", "postings"].map((table) => pool.query(`vacuum analyze ledger.${table}`)));
}

/** Far above the numbers of entries that the ledger makes. */
const FIRST_ENTRY = 1_000_000_000;
const ACCOUNT = (address: string): string => `(select id from ledger.accounts where address = ${address})`;

const TRANSFERS = `
  insert into ledger.transfers (id, kind, from_account, to_account, amount_minor, about, created_at)
  select 'long.' || $1::text || '.' || n, 'deposit', cage, wallet, 100, '{"reason":"long"}',
    now() - interval '1 minute' - ($2::int - n) * interval '3 minutes'
  from generate_series($3::int, $4::int) n, ${ACCOUNT("'cage'")} c (cage), ${ACCOUNT("'player:' || $1::text")} w (wallet)`;

/** The cage is in every player's history, each as long as no other: its entries begin behind that. */
const POSTINGS = `
  insert into ledger.postings (account_id, entry_number, transfer_id, amount_minor, balance_minor)
  select side.account, ${FIRST_ENTRY} + n + side.beyond, 'long.' || $1::text || '.' || n, side.amount, side.amount * n
  from generate_series($3::int, $4::int) n, ${ACCOUNT("'cage'")} c (cage), ${ACCOUNT("'player:' || $1::text")} w (wallet),
    lateral (values (wallet, 100, 0), (cage, -100, $2::int)) side (account, amount, beyond)`;
