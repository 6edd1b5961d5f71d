import { sql } from "kysely";
import type { PlayDb } from "../../modules/play/tables.ts";

/** What changes by itself: times that are renewed, and what a sign-in notes of its player. */
const MOVING = "'{due_at,holder_until,last_logon,last_logon_ip,pin_failed}'::text[]";

/** Everything that money, seats and accounts are made of. */
const TABLES = [
  ...["ledger.accounts", "ledger.holds", "ledger.transfers", "ledger.postings", "wallet_entry"],
  ...["seat", "play_session", "machine_transfer", "game", "machine_event", "hand_pay", "discrepancy"],
  ...["player", "player_profile", "platform_key", "agent", "bonus_grant", "discount_claim", "operator_command"],
];

/** The rows of all these tables as one text each; two that are equal say that nothing has changed. `except`: rows with this text in them are left out. */
export async function tableDigest(db: PlayDb, except: readonly string[] = []): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const table of TABLES) {
    const { rows } = await sql<{ digest: string | null }>`
      select count(*) || ' rows, ' || coalesce(md5(string_agg(line, '|' order by line)), '') as digest
      from (select (to_jsonb(entry) - ${sql.raw(MOVING)})::text as line from ${sql.raw(table)} as entry) as lines
      where not exists (select from unnest(${except}::text[]) as name where strpos(line, name) > 0)`.execute(db);
    found[table] = rows[0]?.digest ?? "";
  }
  return found;
}
