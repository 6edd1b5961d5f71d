import type { AgentRow } from "@longarm/contract/staff-fleet";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type * as z from "zod/mini";
import type { PlayTables } from "../tables.ts";

/** An agent with its machines and keys. `linked`: every machine of it has a link; `seenAt`: when it last reported. */
export type DeskAgent = z.input<typeof AgentRow>;

type KeyRow = { id: string; madeAt: string; endsAt: string | null; lastUsedAt: string | null; reason: string };

/** Agents, by name. Of the keys only those that hold. */
export async function deskAgents(db: Kysely<unknown>): Promise<DeskAgent[]> {
  const rows = await db
    .withTables<PlayTables>()
    .selectFrom("agent as a")
    .leftJoin("agent_hello as h", "h.agent_id", "a.id")
    .select(["a.id", "a.name", "a.created_at", "a.revoked_at", "h.version", "h.clock_off_ms", "h.at as hello_at"])
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
      sql<KeyRow[]>`(select coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'madeAt', k.made_at, 'endsAt', k.ends_at,
          'lastUsedAt', k.last_used_at, 'reason', k.reason) order by k.made_at desc, k.id), '[]') from agent_key k
        where k.agent_id = a.id and (k.ends_at is null or k.ends_at > clock_timestamp()))`.as("keys"),
    ])
    .orderBy("a.name")
    .execute();
  const iso = (at: string | null) => (at === null ? null : new Date(at).toISOString());
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    machines: row.machines,
    links: row.links,
    linked: row.links > 0 && row.links >= row.machines.length,
    node: row.node,
    enrolledAt: row.created_at.toISOString(),
    revokedAt: row.revoked_at?.toISOString() ?? null,
    seenAt: row.seenAt?.toISOString() ?? null,
    linkedAt: row.links > 0 ? (row.hello_at?.toISOString() ?? null) : null,
    version: row.version,
    clockOffMs: row.clock_off_ms,
    keys: row.keys.map((key) => ({
      ...key,
      madeAt: new Date(key.madeAt).toISOString(),
      endsAt: iso(key.endsAt),
      lastUsedAt: iso(key.lastUsedAt),
    })),
  }));
}
