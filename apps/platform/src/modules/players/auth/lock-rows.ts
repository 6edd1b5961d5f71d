import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { AuthTables } from "./tables.ts";

/** Wrong PINs in a row that end a sign-in. */
export const PIN_TRIES_MAX = 5;

type Db = Kysely<AuthTables>;

/**
 * True for a row of `auth_session` joined with `player` whose player did nothing for so long; false where no PIN could unlock it.
 * Judged by the database's clock, so that every node and every restart agrees. 0 ms: there is no idle lock.
 */
export function isIdle(idleMs: number) {
  if (idleMs <= 0) return sql<boolean>`false`;
  return sql<boolean>`(player.pin is not null and active_at <= ${idleSince(idleMs)})`;
}

const idleSince = (idleMs: number) => sql<Date>`now() - make_interval(secs => ${idleMs}::float8 / 1000)`;

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
  await db
    .updateTable("auth_session")
    .set({ locked_at: null, pin_failed: 0, active_at: sql`now()` })
    .where("jti", "=", jti)
    .execute();
}

/** Locks every sign-in whose player is idle, so that a longer idle time set later does not open it; answers which were locked now. */
export async function lockIdleSessions(db: Db, idleMs: number): Promise<string[]> {
  const rows = await db
    .updateTable("auth_session")
    .from("player")
    .set({ locked_at: sql`now()` })
    .whereRef("player.id", "=", "auth_session.player_id")
    .where("locked_at", "is", null)
    .where("ended_at", "is", null)
    .where("expires_at", ">", sql<Date>`now()`)
    .where(isIdle(idleMs))
    .returning("jti")
    .execute();
  return rows.map(({ jti }) => jti);
}

/** Notes that the player did something. False: the sign-in is locked, or over, and nothing was noted. */
export async function touchSession(db: Db, jti: string, idleMs: number): Promise<boolean> {
  const row = await db
    .updateTable("auth_session")
    .from("player")
    .set({ active_at: sql`now()` })
    .whereRef("player.id", "=", "auth_session.player_id")
    .where("jti", "=", jti)
    .where("locked_at", "is", null)
    .where("ended_at", "is", null)
    .where(sql<boolean>`not ${isIdle(idleMs)}`)
    .returning("jti")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Counts a try before the PIN is compared, so that many at once cannot pass the limit.
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
