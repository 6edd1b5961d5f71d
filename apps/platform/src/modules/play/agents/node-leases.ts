import { sql } from "kysely";
import { databaseIn } from "../../../database-time.ts";
import type { PlayDeps } from "../deps.ts";
import type { Links } from "./links.ts";

/** A process that starts under a node's name has no links: what that name held before is nobody's. */
export async function dropOwnLinks({ db, config }: PlayDeps): Promise<void> {
  await db.deleteFrom("agent_link").where("node_id", "=", config.play.NODE_ID).execute();
}

/** Gives back the machines of one link; another link that has taken one over keeps it. */
export async function dropLink({ db }: Pick<PlayDeps, "db">, linkId: string): Promise<void> {
  await db.deleteFrom("agent_link").where("link_id", "=", linkId).execute();
}

/** Forgets the links of nodes that have ended: nobody holds those machines any more. */
export async function dropLinksOf({ db }: PlayDeps, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length > 0)
    await db
      .deleteFrom("agent_link")
      .where("node_id", "in", [...nodeIds])
      .execute();
}

/**
 * Tells the other nodes that this one still holds its links. One that was forgotten meanwhile, because this node was taken for dead, is written
 * down again.
 * @returns ids of machines that another link holds by now.
 */
export async function renewLinks({ db, config }: PlayDeps, links: Links): Promise<string[]> {
  const lease_until = databaseIn(config.play.NODE_LEASE_MS);
  const held = links.all();
  if (held.length === 0) return [];
  const rows = held.map(({ machineId, link }) => ({
    machine_id: machineId,
    agent_id: link.agentId,
    node_id: config.play.NODE_ID,
    link_id: link.linkId,
    lease_until,
  }));
  const kept = await db
    .insertInto("agent_link")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column("machine_id")
        .doUpdateSet({ lease_until })
        .whereRef("agent_link.link_id", "=", sql.ref("excluded.link_id")),
    )
    .returning("machine_id")
    .execute();
  // One that closed while it was written down is nobody's.
  const closed = held.filter(({ machineId, link }) => links.get(machineId)?.linkId !== link.linkId);
  for (const linkId of new Set(closed.map(({ link }) => link.linkId))) await dropLink({ db }, linkId);
  const mine = new Set(kept.map(({ machine_id }) => machine_id));
  return held.flatMap(({ machineId }) => (mine.has(machineId) ? [] : [machineId]));
}
