import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { IssuersPerson } from "../../../openid.ts";
import type { AuthTables, SignInHow } from "./tables.ts";

/** When and from where a player signed in before. */
export type Previous = { readonly at: Date | null; readonly address: string | null };

/** Whence somebody signs in, and by what. */
export type Visit = {
  readonly address: string;
  /** The user agent. */
  readonly device: string;
  readonly how: SignInHow;
  /** The passkey that signed. */
  readonly passkeyId?: string | undefined;
  /** The person of the issuer who signed in. */
  readonly person?: Pick<IssuersPerson, "provider" | "issuer" | "subject"> | undefined;
};

/** A sign-in as its row says. Times are the database's. */
export type AuthSession = {
  readonly playerId: string;
  readonly openedAt: Date;
  readonly expiresAt: Date;
  /** The sign-in before this one. */
  readonly previous: Previous;
  /** Judged by the database's clock when it was read. */
  readonly state: "open" | "ended" | "banned";
  /** The idle lock holds. */
  readonly locked: boolean;
};

export type NewAuthSession = {
  readonly jti: string;
  readonly playerId: string;
  /** What is stored of the password that was right. */
  readonly password: string;
  readonly visit: Visit;
  readonly previous: Previous;
  /** How long it is good without being extended. */
  readonly hours: number;
};

/** One sign-in, or all of a player, perhaps but for one. */
export type WhichSession =
  | { readonly jti: string }
  | { readonly playerId: string; readonly exceptJti?: string | undefined };

type Db = Kysely<AuthTables>;

const inHours = (hours: number) => sql<Date>`now() + make_interval(hours => ${hours})`;

/** The rows of some sign-ins, by their ids, in one query. */
export async function readSessions(
  db: Db,
  jtis: readonly string[],
  idleMs: number,
): Promise<ReadonlyMap<string, AuthSession>> {
  const rows = await db
    .selectFrom("auth_session")
    .innerJoin("player", "player.id", "auth_session.player_id")
    .select(["jti", "player_id", "auth_session.created_at", "expires_at"])
    .select(["previous_logon", "previous_logon_ip", "banned_at"])
    .select(sql<boolean>`ended_at is null and expires_at > now()`.as("open"))
    .select(sql<boolean>`locked_at is not null or ${isIdle(idleMs)}`.as("locked"))
    .where(sql<boolean>`jti = any(${jtis}::text[])`)
    .execute();
  return new Map(
    rows.map((row) => {
      const ended = row.open ? "open" : "ended";
      const session: AuthSession = {
        playerId: row.player_id,
        openedAt: row.created_at,
        expiresAt: row.expires_at,
        previous: { at: row.previous_logon, address: row.previous_logon_ip },
        state: row.banned_at === null ? ended : "banned",
        locked: row.locked,
      };
      return [row.jti, session];
    }),
  );
}

/**
 * Opens a row; answers when it was opened and when it ends. Undefined: the password was changed, the passkey or the link removed or the player banned since they were looked at. The player's row is held meanwhile, so
 * that a change which ends all other sign-ins finds this one, or this one finds the change.
 */
async function insertSession(
  db: Db,
  asked: NewAuthSession,
): Promise<Pick<AuthSession, "openedAt" | "expiresAt"> | undefined> {
  const { address, device, how, passkeyId, person } = asked.visit;
  const row = await db
    .insertInto("auth_session")
    .columns([
      ...(["jti", "player_id", "address", "device", "how", "passkey_id"] as const),
      ...(["openid_provider", "previous_logon", "previous_logon_ip", "expires_at"] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom("player")
        .select([
          sql<string>`${asked.jti}`.as("jti"),
          "player.id",
          sql<string>`${address}`.as("address"),
          sql<string>`${device}`.as("device"),
          sql<SignInHow>`${how}`.as("how"),
          sql<string | null>`${passkeyId ?? null}::text`.as("passkey_id"),
          sql<string | null>`${person?.provider ?? null}::text`.as("openid_provider"),
          sql<Date | null>`${asked.previous.at}::timestamptz`.as("previous_logon"),
          sql<string | null>`${asked.previous.address}::text`.as("previous_logon_ip"),
          inHours(asked.hours).as("expires_at"),
        ])
        .where("player.id", "=", asked.playerId)
        .where("player.password", "=", asked.password)
        .where("player.banned_at", "is", null)
        .$if(passkeyId !== undefined, (query) =>
          query.innerJoin("player_passkey", (join) => join.on("player_passkey.id", "=", passkeyId ?? "")),
        )
        .$if(person !== undefined, (query) =>
          query.innerJoin("player_openid_link", (join) =>
            join
              .onRef("player_openid_link.player_id", "=", "player.id")
              .on("player_openid_link.issuer", "=", person?.issuer ?? "")
              .on("player_openid_link.subject", "=", person?.subject ?? ""),
          ),
        )
        .forShare(),
    )
    .returning(["created_at", "expires_at"])
    .executeTakeFirst();
  return row && { openedAt: row.created_at, expiresAt: row.expires_at };
}

/** Runs in the transaction that opens a sign-in. */
export type Also = (trx: Db) => Promise<void>;

/** As `insertSession`, and what belongs to it: both or neither. */
export async function openSession(
  db: Db,
  given: NewAuthSession,
  also: Also | undefined,
): ReturnType<typeof insertSession> {
  if (also === undefined) return await insertSession(db, given);
  return await db.transaction().execute(async (trx) => {
    const opened = await insertSession(trx, given);
    if (opened !== undefined) await also(trx);
    return opened;
  });
}

/**
 * However often it is renewed, a sign-in ends this long after the password was typed, days. Source: GLI-19 2.5.4, a full sign-in at least
 * every 30 days.
 */
const SIGNED_IN_DAYS_MAX = 30;

/** A later end for an open row; undefined: it is not open any more. */
export async function extendSession(db: Db, jti: string, hours: number): Promise<Date | undefined> {
  const row = await db
    .updateTable("auth_session")
    .set({
      expires_at: sql`least(${inHours(hours)}, created_at + make_interval(days => ${SIGNED_IN_DAYS_MAX}))`,
    })
    .where("jti", "=", jti)
    .where("ended_at", "is", null)
    .where("expires_at", ">", sql<Date>`now()`)
    .returning("expires_at")
    .executeTakeFirst();
  return row?.expires_at;
}

export async function endSessions(db: Db, which: WhichSession, reason: string): Promise<void> {
  await db
    .updateTable("auth_session")
    .set({ ended_at: sql`now()`, ended_reason: reason })
    .where("ended_at", "is", null)
    .where((row) =>
      "jti" in which
        ? row("jti", "=", which.jti)
        : row.and([row("player_id", "=", which.playerId), row("jti", "!=", which.exceptJti ?? "")]),
    )
    .execute();
}

/** Removes rows that ended long ago. */
export async function sweepSessions(db: Db): Promise<void> {
  await db.deleteFrom("auth_session").where("expires_at", "<", sql<Date>`now() - interval '30 days'`).execute();
}

/** Wrong PINs in a row that end a sign-in. */
export const PIN_TRIES_MAX = 5;

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

/** For queries of other rooms: whether the sign-in of the column `jti` is open. */
export const isSignInOpen = (jti: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from auth_session where auth_session.jti = ${sql.ref(jti)} and ended_at is null and expires_at > now())`;
/** The open sign-ins of a player that a passkey made. */
export async function sessionsOfPasskey(db: Db, playerId: string, passkeyId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("auth_session")
    .select("jti")
    .where("player_id", "=", playerId)
    .where("passkey_id", "=", passkeyId)
    .where("ended_at", "is", null)
    .execute();
  return rows.map(({ jti }) => jti);
}

/** The open sign-ins of a player that this issuer made, perhaps until a time alone. One of before there were several issuers does not say which. */
export async function sessionsOfOpenId(db: Db, playerId: string, provider: string, until?: Date): Promise<string[]> {
  const rows = await db
    .selectFrom("auth_session")
    .select("jti")
    .where("player_id", "=", playerId)
    .where("how", "=", "openId")
    .where((eb) => eb.or([eb("openid_provider", "=", provider), eb("openid_provider", "is", null)]))
    .$if(until !== undefined, (query) => query.where("created_at", "<=", until ?? new Date(0)))
    .where("ended_at", "is", null)
    .execute();
  return rows.map(({ jti }) => jti);
}

/** The player signed in anew at the issuer, for this sign-in. */
export async function confirmSession(db: Db, jti: string): Promise<void> {
  await db.updateTable("auth_session").set({ confirmed_at: sql`now()` }).where("jti", "=", jti).execute();
}

/** Until when a sign-in counts as fresh; null: not any more. One by an issuer is not by itself: the issuer may have known the browser alone. */
export async function freshUntil(db: Db, jti: string, minutes: number): Promise<Date | null> {
  const since = sql<Date>`greatest(case when how <> 'openId' then created_at end, confirmed_at)`;
  const end = sql<Date>`${since} + make_interval(mins => ${minutes})`;
  const row = await db
    .selectFrom("auth_session")
    .select(end.as("end"))
    .where("jti", "=", jti)
    .where(sql<boolean>`${end} > now()`)
    .executeTakeFirst();
  return row?.end ?? null;
}

export type OpenSession = {
  readonly id: string;
  readonly address: string;
  readonly device: string;
  readonly how: SignInHow;
  readonly since: Date;
  readonly activeAt: Date;
};

/** The open sign-ins of a player, the newest first. */
export async function openSessionsOf(db: Db, playerId: string): Promise<OpenSession[]> {
  return await db
    .selectFrom("auth_session")
    .select(["jti as id", "address", "device", "how", "created_at as since", "active_at as activeAt"])
    .where("player_id", "=", playerId)
    .where("ended_at", "is", null)
    .where(sql<boolean>`expires_at > now()`)
    .orderBy("created_at", "desc")
    .limit(50)
    .execute();
}
