import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { AuthTables } from "../tables.ts";

/** Wrong PINs in a row that end a sign-in. */
export const PIN_TRIES_MAX = 5;

type Db = Kysely<AuthTables>;

/** Locking a locked sign-in changes nothing. */
export async function lockSession(db: Db, jti: string): Promise<void> {
  await db
    .updateTable("auth_session")
    .set({ locked_at: sql`now()` })
    .where("jti", "=", jti)
    .where("locked_at", "is", null)
    .execute();
}

export async function unlockSession(db: Db, jti: string): Promise<void> {
  await db.updateTable("auth_session").set({ locked_at: null, pin_failed: 0 }).where("jti", "=", jti).execute();
}

/**
 * Counts a try before the PIN is looked at, so that many at once cannot pass the limit.
 * @returns how many wrong ones may follow; below zero: this try was one too many.
 */
export async function countPin(db: Db, jti: string): Promise<number> {
  const row = await db
    .updateTable("auth_session")
    .set((eb) => ({ pin_failed: sql`least(${eb.ref("pin_failed")} + 1, ${PIN_TRIES_MAX + 1})` }))
    .where("jti", "=", jti)
    .where("ended_at", "is", null)
    .returning("pin_failed")
    .executeTakeFirst();
  return row === undefined ? -1 : PIN_TRIES_MAX - row.pin_failed;
}
