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

export async function noteLogon(db: Kysely<PlayersTables>, id: string, address: string): Promise<void> {
  await db.updateTable("player").set({ last_logon: sql`now()`, last_logon_ip: address }).where("id", "=", id).execute();
}
