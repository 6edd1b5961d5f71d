import type { Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import type { PlayersTables } from "./tables.ts";
import { isKeepable, usernameKey } from "./username.ts";

/** A player as stored. Never sent or logged whole: it carries the password hash. */
export type Player = Selectable<PlayersTables["player"]>;

export function findPlayer(db: Kysely<PlayersTables>, id: string): Promise<Player | undefined> {
  return db.selectFrom("player").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function findPlayerByName(db: Kysely<PlayersTables>, username: string): Promise<Player | undefined> {
  if (!isKeepable(username)) return undefined;
  return db.selectFrom("player").selectAll().where("username_key", "=", usernameKey(username)).executeTakeFirst();
}

/** Gives a PIN to a player who has none; answers whether it did. */
export async function fillPin(db: Kysely<PlayersTables>, id: string, sealed: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("player")
    .set({ pin: sealed })
    .where("id", "=", id)
    .where("pin", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Sets another password hash, unless the row has a newer one than `known` by now; answers whether it did. */
export async function replacePassword(db: Kysely<PlayersTables>, known: Player, password: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("player")
    .set({ password, password_changed_at: sql`now()` })
    .where("id", "=", known.id)
    .where("password", "=", known.password)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Sets another password hash, whatever it was. */
export async function storePassword(db: Kysely<PlayersTables>, id: string, password: string): Promise<void> {
  await db.updateTable("player").set({ password, password_changed_at: sql`now()` }).where("id", "=", id).execute();
}

/** Sets another PIN, or none. */
export async function storePin(db: Kysely<PlayersTables>, id: string, sealed: Buffer | null): Promise<void> {
  await db.updateTable("player").set({ pin: sealed }).where("id", "=", id).execute();
}

/** Players by name; `search`: a part of a name. */
export async function listPlayers(
  db: Kysely<PlayersTables>,
  {
    search,
    bannedOnly,
    limit,
  }: { readonly search?: string | undefined; readonly bannedOnly: boolean; readonly limit: number },
): Promise<Player[]> {
  if (search !== undefined && !isKeepable(search)) return [];
  let query = db.selectFrom("player").selectAll().orderBy("username_key").limit(limit);
  if (bannedOnly) query = query.where("banned_at", "is not", null);
  if (search !== undefined) query = query.where(sql<boolean>`strpos(username_key, ${usernameKey(search)}) > 0`);
  return await query.execute();
}

/** Bans a player or lets it in again; answers whether that changed anything. */
export async function setBanned(db: Kysely<PlayersTables>, id: string, banned: boolean): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("player")
    .set({ banned_at: banned ? sql`now()` : null })
    .where("id", "=", id)
    .where("banned_at", banned ? "is" : "is not", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function noteLogon(db: Kysely<PlayersTables>, id: string, address: string): Promise<void> {
  await db.updateTable("player").set({ last_logon: sql`now()`, last_logon_ip: address }).where("id", "=", id).execute();
}
