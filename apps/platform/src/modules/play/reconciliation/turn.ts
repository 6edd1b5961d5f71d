import { sql } from "kysely";
import type { PlayDb } from "../tables.ts";

/** Work that one node does for all. It keeps the turn while it renews it, and another takes it once it is over. */
export async function takeTurn(db: PlayDb, name: string, nodeId: string, forMs: number): Promise<boolean> {
  const { rows } = await sql`insert into worker_turn as w (name, node_id, until)
    values (${name}, ${nodeId}, clock_timestamp() + ${forMs} * interval '1 millisecond')
    on conflict (name) do update set node_id = excluded.node_id, until = excluded.until
    where w.node_id = excluded.node_id or w.until <= clock_timestamp() returning name`.execute(db);
  return rows.length > 0;
}

/** What the turn came to, for whoever looks who does what. */
export async function noteTurn(db: PlayDb, name: string, found: Readonly<Record<string, number>>): Promise<void> {
  await sql`update worker_turn set done_at = clock_timestamp(), found = ${JSON.stringify(found)} where name = ${name}`.execute(
    db,
  );
}
