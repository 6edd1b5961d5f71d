import { createHash } from "node:crypto";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { PlayDb } from "../tables.ts";

const KEY_BYTES = 32;
/** An agent key as it is shown once, at enrolment. */
const KEY_SHAPE = /^lak_[A-Za-z0-9_-]{43}$/;
/** A new key and the one before it. */
const KEYS_AT_ONCE = 2;

/** A key has 256 random bits, so a plain fast hash keeps it. */
function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

export type Enrolled = { readonly agentId: string; readonly key: string };
export type KeyRefused = { readonly is: "refused"; readonly sentence: string };
/** A key that was made: it is returned now and never again. */
export type KeyMade = ({ readonly is: "made" } & Enrolled) | KeyRefused;
export type KeyEnded = { readonly is: "ended"; readonly agentId: string } | KeyRefused;

/**
 * When the keys before a new one end: `now`; after so many hours; or `act`, when staff ends them. Until then the agent may use either.
 */
export type OldKey = { readonly is: "now" } | { readonly is: "hours"; readonly hours: number } | { readonly is: "act" };

const refused = (sentence: string): KeyRefused => ({ is: "refused", sentence });

/** Enrols a new agent. @param name 1 to 64 characters, without a blank at its ends. Refuses a name that an agent has. */
export async function addAgent(db: PlayDb, random: Random, name: string, reason = ""): Promise<KeyMade> {
  if (name.length < 1 || name.length > 64 || name.trim() !== name) return refused("A name has 1 to 64 characters.");
  const added = await db
    .insertInto("agent")
    .values({ id: newId(random, "ag"), name })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (added === undefined) return refused(`There is an agent "${name}" already: give it another key.`);
  return { is: "made", agentId: added.id, key: await makeKey(db, random, added.id, reason) };
}

/**
 * Gives an agent another key; a revoked one comes back with it. Refuses a third key that holds: the agent's person would not know which two are
 * good.
 */
export async function rotateAgentKey(
  db: PlayDb,
  random: Random,
  { name, old, reason = "" }: { readonly name: string; readonly old: OldKey; readonly reason?: string },
): Promise<KeyMade> {
  const agent = await lockAgent(db, name);
  if (agent === undefined) return refused(`There is no agent "${name}".`);
  const holding = agent.revoked_at === null ? await holdingKeys(db, agent.id) : [];
  if (old.is !== "now" && holding.length >= KEYS_AT_ONCE)
    return refused(`${name} has two keys that hold: end the older one first.`);
  if (old.is === "now") await endKeys(db, holding, databaseNow(), reason);
  if (old.is === "hours") await endKeys(db, holding, databaseIn(old.hours * 3_600_000), reason);
  await db.updateTable("agent").set({ revoked_at: null }).where("id", "=", agent.id).execute();
  return { is: "made", agentId: agent.id, key: await makeKey(db, random, agent.id, reason) };
}

/** Ends one key of an agent now. Refuses the only one that holds: that is to revoke the agent. */
export async function endAgentKey(
  db: PlayDb,
  { name, keyId, reason = "" }: { readonly name: string; readonly keyId: string; readonly reason?: string },
): Promise<KeyEnded> {
  const agent = await lockAgent(db, name);
  if (agent === undefined) return refused(`There is no agent "${name}".`);
  const holding = await holdingKeys(db, agent.id);
  if (!holding.includes(keyId)) return refused(`${name} has no such key that holds.`);
  if (holding.length === 1) return refused(`It is the only key of ${name}: revoke the agent, or rotate its key.`);
  await endKeys(db, [keyId], databaseNow(), reason);
  return { is: "ended", agentId: agent.id };
}

/** Takes all keys of an agent away. Refuses an agent that has none any more. */
export async function revokeAgent(db: PlayDb, name: string, reason = ""): Promise<KeyEnded> {
  const agent = await lockAgent(db, name);
  if (agent === undefined || agent.revoked_at !== null) return refused(`There is no agent "${name}" with a key.`);
  await endKeys(db, await holdingKeys(db, agent.id), databaseNow(), reason);
  await db.updateTable("agent").set({ revoked_at: databaseNow() }).where("id", "=", agent.id).execute();
  return { is: "ended", agentId: agent.id };
}

/**
 * The key of a program's own agent (`npm start`, tests): a new agent, or another key in place of all earlier ones.
 * @throws RangeError for a name that is none.
 */
export async function enrolAgent(db: PlayDb, random: Random, name: string): Promise<Enrolled> {
  const added = await addAgent(db, random, name);
  const made = added.is === "made" ? added : await rotateAgentKey(db, random, { name, old: { is: "now" } });
  if (made.is === "refused") throw new RangeError(made.sentence);
  return made;
}

async function makeKey(db: PlayDb, random: Random, agentId: string, reason: string): Promise<string> {
  const key = `lak_${random.bytes(KEY_BYTES).toString("base64url")}`;
  const row = { id: newId(random, "ak"), agent_id: agentId, key_sha256: hashOf(key), reason };
  await db
    .insertInto("agent_key")
    .values({ ...row, ends_at: null, last_used_at: null })
    .execute();
  return key;
}

/** An agent's keys change one at a time. */
async function lockAgent(db: PlayDb, name: string) {
  return await db
    .selectFrom("agent")
    .select(["id", "revoked_at"])
    .where("name", "=", name)
    .forUpdate()
    .executeTakeFirst();
}

const holds = sql<boolean>`(ends_at is null or ends_at > clock_timestamp())`;

async function holdingKeys(db: PlayDb, agentId: string): Promise<string[]> {
  const rows = await db.selectFrom("agent_key").select("id").where("agent_id", "=", agentId).where(holds).execute();
  return rows.map(({ id }) => id);
}

/** A key whose end is set already keeps the earlier one. */
async function endKeys(db: PlayDb, ids: readonly string[], at: ReturnType<typeof databaseNow>, reason: string) {
  if (ids.length === 0) return;
  await db
    .updateTable("agent_key")
    .set({ ends_at: sql<Date>`least(ends_at, ${at})`, reason })
    .where("id", "in", [...ids])
    .execute();
}

export type KnownAgent = { readonly id: string; readonly name: string; readonly keyId: string };

/** The agent of an `Authorization` header; undefined when its key is not one of ours or has ended. */
export async function agentOfHeader(db: PlayDb, header: string | undefined): Promise<KnownAgent | undefined> {
  const key = /^Bearer +(\S{1,128})$/i.exec(header ?? "")?.[1];
  if (key === undefined || !KEY_SHAPE.test(key)) return undefined;
  return await db
    .selectFrom("agent_key as k")
    .innerJoin("agent as a", "a.id", "k.agent_id")
    .select(["a.id", "a.name", "k.id as keyId"])
    .where("k.key_sha256", "=", hashOf(key))
    .where("a.revoked_at", "is", null)
    .where(holds)
    .executeTakeFirst();
}

/** Notes that a link was opened with a key, so that staff sees when the old one may end. */
export async function noteKeyUse(db: PlayDb, keyId: string): Promise<void> {
  await db.updateTable("agent_key").set({ last_used_at: databaseNow() }).where("id", "=", keyId).execute();
}

/** Those of the keys that do not hold any more: ended, or of an agent that was revoked. */
export async function endedKeys(db: PlayDb, keyIds: readonly string[]): Promise<Set<string>> {
  if (keyIds.length === 0) return new Set();
  const rows = await db
    .selectFrom("agent_key as k")
    .innerJoin("agent as a", "a.id", "k.agent_id")
    .select("k.id")
    .where("k.id", "in", [...keyIds])
    .where("a.revoked_at", "is", null)
    .where(holds)
    .execute();
  const holding = new Set(rows.map(({ id }) => id));
  return new Set(keyIds.filter((id) => !holding.has(id)));
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
  /** Keys that hold. */
  readonly keys: number;
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
      sql<number>`(select count(*) from agent_key k where k.agent_id = a.id and ${holds})::int`.as("keys"),
    ])
    .orderBy("a.name")
    .execute();
}
