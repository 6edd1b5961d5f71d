import type { AgentRow } from "@longarm/contract/staff-records";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type * as z from "zod/mini";
import type { PlayTables } from "../tables.ts";

/** Agents with their machines, by name. `linked`: every machine of it has a link; `seenAt`: when it last reported. */
export type DeskAgent = z.input<typeof AgentRow> & { readonly seenAt: string | null };

export async function deskAgents(db: Kysely<unknown>): Promise<DeskAgent[]> {
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("agent as a")
    .select(["a.id", "a.name", "a.created_at", "a.revoked_at"])
    .select([
      sql<string[]>`array(select id from machine m where m.agent_id = a.id order by id)`.as("machines"),
      sql<number>`(select count(*)::int from agent_link l where l.agent_id = a.id and l.lease_until > clock_timestamp())`.as(
        "links",
      ),
      sql<
        string | null
      >`(select max(node_id) from agent_link l where l.agent_id = a.id and l.lease_until > clock_timestamp())`.as(
        "node",
      ),
      sql<Date | null>`(select max(last_seen_at) from machine m where m.agent_id = a.id)`.as("seenAt"),
    ])
    .orderBy("a.name")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    machines: row.machines,
    linked: row.links > 0 && row.links >= row.machines.length,
    node: row.node,
    enrolledAt: row.created_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    seenAt: row.seenAt?.toISOString() ?? null,
  }));
}
