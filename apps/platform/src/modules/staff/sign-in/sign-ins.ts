import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { LockoutNames } from "../../players/auth/index.ts";
import type { SignInHow, StaffTables, StaffTransaction } from "../accounts/index.ts";
import { newSecret, rightsOf, sha256 } from "../accounts/index.ts";

/** Who calls, and what they may do, as the database has it at this very call: what is taken away is gone at once, everywhere. */
export type StaffCaller = {
  readonly staffId: string;
  readonly username: string;
  readonly name: string;
  readonly signIn: {
    readonly id: string;
    readonly how: SignInHow;
    readonly since: Date;
    readonly expiresAt: Date;
    readonly locked: boolean;
  };
  readonly csrf: string;
} & Awaited<ReturnType<typeof rightsOf>>;

/** The actor of audit entries and ledger transfers. */
export const actorOf = ({ username }: Pick<StaffCaller, "username">): string => `staff:${username}`;

/** What a page sends with each change beside its cookie: made of the cookie, and useless for making it. */
const csrfOf = (secret: string): string => createHash("sha256").update(`csrf ${secret}`).digest("base64url");

export type NewSignIn = {
  readonly staffId: string;
  readonly how: SignInHow;
  readonly device: string;
  readonly address: string;
  readonly hours: number;
};

/**
 * Opens a sign-in and answers the secret of its cookie, which is always a new one: a cookie that was there before, perhaps planted, opens nothing.
 * Undefined: the account has ended.
 */
export async function openSignIn(trx: StaffTransaction, random: Random, given: NewSignIn): Promise<string | undefined> {
  const secret = newSecret(random);
  const account = await trx
    .selectFrom("staff")
    .select("id")
    .where("id", "=", given.staffId)
    .where("ended_at", "is", null)
    .forShare()
    .executeTakeFirst();
  if (account === undefined) return undefined;
  await trx
    .insertInto("staff_sign_in")
    .values({
      id: newId(random, "si"),
      secret_sha256: sha256(secret),
      staff_id: given.staffId,
      how: given.how,
      device: given.device.slice(0, 200),
      address: given.address,
      expires_at: databaseIn(given.hours * 3_600_000),
      locked_at: null,
      ended_at: null,
      ended_reason: null,
    })
    .execute();
  return secret;
}

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/**
 * The caller of a cookie. A sign-in without input for `idleMs` is locked here, if it is not yet, so that its row says so to all.
 * Undefined: the cookie opens nothing.
 */
export const findCaller = (db: Kysely<StaffTables>, secret: string, idleMs: number): Promise<StaffCaller | undefined> =>
  callerWith(db, secret, idleMs, "!=");

/** The caller of a command line's token, in the same way. A cookie is no such token, and a token no cookie: what one computer loses opens nothing else. */
export const findDeviceCaller = (
  db: Kysely<StaffTables>,
  token: string,
  idleMs: number,
): Promise<StaffCaller | undefined> => callerWith(db, token, idleMs, "=");

async function callerWith(
  db: Kysely<StaffTables>,
  secret: string,
  idleMs: number,
  isDevice: "=" | "!=",
): Promise<StaffCaller | undefined> {
  if (!SECRET.test(secret)) return undefined;
  const row = await db
    .selectFrom("staff_sign_in as i")
    .innerJoin("staff as s", "s.id", "i.staff_id")
    .select(["i.id", "i.how", "i.created_at", "i.expires_at", "i.locked_at", "s.id as staffId", "s.username", "s.name"])
    .select(isIdle(idleMs).as("idle"))
    .where("i.secret_sha256", "=", sha256(secret))
    .where("i.how", isDevice, "device")
    .where("i.ended_at", "is", null)
    .where("i.expires_at", ">", databaseNow())
    .where("s.ended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const locked = row.locked_at !== null || row.idle;
  if (row.idle && row.locked_at === null) await lockSignIn(db, row.id);
  return {
    staffId: row.staffId,
    username: row.username,
    name: row.name,
    signIn: { id: row.id, how: row.how, since: row.created_at, expiresAt: row.expires_at, locked },
    csrf: csrfOf(secret),
    ...(await rightsOf(db, row.staffId)),
  };
}

const isIdle = (idleMs: number) => sql<boolean>`i.active_at + ${idleMs} * interval '1 millisecond' < clock_timestamp()`;

/** The person did something: the idle time begins anew. A locked sign-in stays locked. */
export async function touchSignIn(db: Kysely<StaffTables>, id: string): Promise<void> {
  await db
    .updateTable("staff_sign_in")
    .set({ active_at: databaseNow() })
    .where("id", "=", id)
    .where("locked_at", "is", null)
    .execute();
}

export async function lockSignIn(db: Kysely<StaffTables>, id: string): Promise<void> {
  await db
    .updateTable("staff_sign_in")
    .set({ locked_at: databaseNow() })
    .where("id", "=", id)
    .where("locked_at", "is", null)
    .execute();
}

export async function unlockSignIn(trx: StaffTransaction, id: string): Promise<void> {
  await trx
    .updateTable("staff_sign_in")
    .set({ locked_at: null, active_at: databaseNow() })
    .where("id", "=", id)
    .execute();
}

/** Which sign-ins to end: one, one of a person, or all of a person, or those that began in one of these ways. */
export type WhichSignIns =
  | { readonly id: string; readonly staffId?: string }
  | { readonly staffId: string; readonly how?: readonly SignInHow[] };

/** Ends sign-ins, on every node at once. Answers how many. */
export async function endSignIns(db: Kysely<StaffTables>, which: WhichSignIns, reason: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("staff_sign_in")
    .set({ ended_at: databaseNow(), ended_reason: reason })
    .where("ended_at", "is", null)
    .$if("id" in which, (query) => query.where("id", "=", "id" in which ? which.id : ""))
    .$if("how" in which, (query) => query.where("how", "in", "how" in which ? (which.how ?? []) : []))
    .$if(which.staffId !== undefined, (query) => query.where("staff_id", "=", which.staffId ?? ""))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** The names of staff, kept apart from the players' in the count of wrong sign-ins. */
export const staffNames = (db: Kysely<StaffTables>): LockoutNames => ({
  mark: "\u0001",
  async addressesOf(key) {
    const rows = await db
      .selectFrom("staff_sign_in as i")
      .innerJoin("staff as s", "s.id", "i.staff_id")
      .select("i.address")
      .distinct()
      .where("s.username_key", "=", key)
      .limit(200)
      .execute();
    return rows.map(({ address }) => address);
  },
});

/** Open sign-ins, the newest first; of one person or of all. */
export async function listSignIns(db: Kysely<StaffTables>, idleMs: number, staffId?: string) {
  return await db
    .selectFrom("staff_sign_in as i")
    .innerJoin("staff as s", "s.id", "i.staff_id")
    .select(["i.id", "i.how", "i.device", "i.address", "i.created_at", "i.active_at", "s.id as staffId", "s.name"])
    .select([sql<boolean>`(i.locked_at is not null)`.as("isLocked"), isIdle(idleMs).as("idle")])
    .where("i.ended_at", "is", null)
    .where("i.expires_at", ">", databaseNow())
    .$if(staffId !== undefined, (query) => query.where("i.staff_id", "=", staffId ?? ""))
    .orderBy("i.created_at", "desc")
    .limit(500)
    .execute();
}

/** The sign-in of this person before this one. */
export async function previousSignIn(db: Kysely<StaffTables>, { staffId, signIn }: StaffCaller) {
  return await db
    .selectFrom("staff_sign_in")
    .select(["created_at", "address"])
    .where("staff_id", "=", staffId)
    .where("created_at", "<", signIn.since)
    .where("id", "!=", signIn.id)
    .orderBy("created_at", "desc")
    .executeTakeFirst();
}

/** Why a sign-in is over: what its row says, else its time. */
export async function endingOf(db: Kysely<StaffTables>, id: string): Promise<string> {
  const row = await db.selectFrom("staff_sign_in").select("ended_reason").where("id", "=", id).executeTakeFirst();
  return row?.ended_reason ?? "expired";
}
