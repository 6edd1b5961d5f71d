import type { Kysely } from "kysely";
import { sql } from "kysely";

// biome-ignore lint/suspicious/noExplicitAny: the tables of the caller do not matter here, and Kysely is invariant in them.
type Source = Kysely<any>;

/** An unknown transfer has an owner: the node that asks the machine's record for it (field notes 3.2 d). */
export async function takeCareOf(db: Source, transferId: string, nodeId: string): Promise<void> {
  await sql`insert into transfer_recovery (transfer_id, owner_node) values (${transferId}, ${nodeId})
    on conflict (transfer_id) do update set owner_node = excluded.owner_node
    where transfer_recovery.owner_node <> excluded.owner_node`.execute(db);
}

/** The machine's record was asked by this node, and this came back. */
export async function noteAsked(db: Source, transferId: string, nodeId: string, answer: string): Promise<void> {
  await sql`insert into transfer_recovery as r (transfer_id, owner_node, asked_times, last_asked_at, last_answer)
    values (${transferId}, ${nodeId}, 1, clock_timestamp(), ${answer.slice(0, 100)})
    on conflict (transfer_id) do update set owner_node = excluded.owner_node, asked_times = r.asked_times + 1,
      last_asked_at = excluded.last_asked_at, last_answer = excluded.last_answer`.execute(db);
}
