import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { PlayDb } from "../tables.ts";

const KEY_BYTES = 32;
/** An agent key as it is shown once, at enrolment. */
const KEY_SHAPE = /^lak_[A-Za-z0-9_-]{43}$/;

/** A key has 256 random bits, so a plain fast hash keeps it. */
function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

export type Enrolled = { readonly agentId: string; readonly key: string };

/**
 * Enrols an agent, or gives one that is enrolled a new key in place of its old one. The key is returned now and never again.
 * @param name 1 to 64 characters, unique among agents.
 */
export async function enrolAgent(db: PlayDb, random: Random, name: string): Promise<Enrolled> {
  if (name.length < 1 || name.length > 64) throw new RangeError("an agent's name has 1 to 64 characters");
  const key = `lak_${random.bytes(KEY_BYTES).toString("base64url")}`;
  const { id } = await db
    .insertInto("agent")
    .values({ id: newId(random, "ag"), name, key_sha256: hashOf(key) })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ key_sha256: hashOf(key), revoked_at: null }))
    .returning("id")
    .executeTakeFirstOrThrow();
  return { agentId: id, key };
}

export type KnownAgent = { readonly id: string; readonly name: string };

/** The agent of an `Authorization` header; undefined when its key is not one of ours. */
export async function agentOfHeader(db: PlayDb, header: string | undefined): Promise<KnownAgent | undefined> {
  const key = /^Bearer +(\S{1,128})$/i.exec(header ?? "")?.[1];
  if (key === undefined || !KEY_SHAPE.test(key)) return undefined;
  return await db
    .selectFrom("agent")
    .select(["id", "name"])
    .where("key_sha256", "=", hashOf(key))
    .where("revoked_at", "is", null)
    .executeTakeFirst();
}

/** An agent as staff sees it. */
export type ListedAgent = {
  readonly id: string;
  readonly name: string;
  readonly enrolledAt: Date;
  readonly revokedAt: Date | null;
  /** Machines that it brought last. */
  readonly machines: number;
  /** Of these, those whose link lives now. */
  readonly linked: number;
};

/** All agents, by name. */
export async function listAgents(db: PlayDb): Promise<ListedAgent[]> {
  return await db
    .selectFrom("agent as a")
    .select([
      "a.id",
      "a.name",
      "a.created_at as enrolledAt",
      "a.revoked_at as revokedAt",
      sql<number>`(select count(*) from machine m where m.agent_id = a.id)::int`.as("machines"),
      sql<number>`(select count(*) from agent_link l where l.agent_id = a.id and l.lease_until > clock_timestamp())::int`.as(
        "linked",
      ),
    ])
    .orderBy("a.name")
    .execute();
}

/** Takes an agent's key away; answers its id, or undefined when there is no such agent or it has none any more. */
export async function revokeAgent(db: PlayDb, name: string): Promise<string | undefined> {
  const row = await db
    .updateTable("agent")
    .set({ revoked_at: sql<Date>`clock_timestamp()` })
    .where("name", "=", name)
    .where("revoked_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row?.id;
}
