import { databaseIn } from "../../play-base/database-time.ts";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import type { Links } from "./links.ts";

/** A process that starts under a node's name has no links: what that name held before is nobody's. */
export async function dropOwnLinks({ db, config }: PlayPartDeps): Promise<void> {
  await db.deleteFrom("agent_link").where("node_id", "=", config.play.NODE_ID).execute();
}

/** Gives back the machines of one link; another link that has taken one over keeps it. */
export async function dropLink({ db }: PlayPartDeps, linkId: string): Promise<void> {
  await db.deleteFrom("agent_link").where("link_id", "=", linkId).execute();
}

/** Tells the other nodes that this one still holds its links. */
export async function renewLinks({ db, config }: PlayPartDeps, links: Links): Promise<void> {
  const machineIds = links.machineIds();
  if (machineIds.length === 0) return;
  await db
    .updateTable("agent_link")
    .set({ lease_until: databaseIn(config.play.NODE_LEASE_MS) })
    .where("node_id", "=", config.play.NODE_ID)
    .where("machine_id", "in", machineIds)
    .execute();
}
