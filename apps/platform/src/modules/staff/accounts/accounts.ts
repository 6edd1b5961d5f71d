import { createHash } from "node:crypto";
import type { LimitedAct, Permission, RoleName } from "@longarm/contract/staff-rights";
import { PERMISSION_NAMES, ROLE_NAMES, ROLES, SEPARATE_ROLES } from "@longarm/contract/staff-rights";
import type { Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { isKeepable, usernameKey } from "../../players/accounts/index.ts";
import type { StaffTables, StaffTransaction } from "./tables.ts";

/** What the database keeps of a cookie, a link or a code that has enough chance in it to need no slow hash. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const SECRET_BYTES = 32;
/** A cookie's or a link's secret: 256 random bits. */
export const newSecret = (random: Random): string => random.bytes(SECRET_BYTES).toString("base64url");

export type Person = Selectable<StaffTables["staff"]>;

/** What somebody may do now: the sum of the roles' rights as they are in the database. */
export type Rights = {
  readonly roles: readonly RoleName[];
  readonly permissions: ReadonlySet<Permission>;
  readonly limits: Readonly<Partial<Record<LimitedAct, number>>>;
};

const isRole = (role: string): role is RoleName => (ROLE_NAMES as readonly string[]).includes(role);

/** Writes the roles of a new platform; what is there already is left as it is. */
export async function seedRoles(db: Kysely<StaffTables>): Promise<void> {
  const rows = ROLE_NAMES.map((role) => ({
    role,
    permissions: [...ROLES[role].permissions],
    limits: JSON.stringify(ROLES[role].limits),
  }));
  await db
    .insertInto("staff_role")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function rightsOf(db: Kysely<StaffTables>, staffId: string): Promise<Rights> {
  const rows = await db
    .selectFrom("staff_has_role as h")
    .innerJoin("staff_role as r", "r.role", "h.role")
    .select(["r.role", "r.permissions", "r.limits"])
    .where("h.staff_id", "=", staffId)
    .orderBy("r.role")
    .execute();
  const given = new Set(rows.flatMap(({ permissions }) => permissions));
  const limits: Partial<Record<LimitedAct, number>> = {};
  for (const act of ["handPay", "wallet", "bonus"] as const) {
    const amounts = rows.map((row) => row.limits[act]).filter((amount) => amount !== undefined);
    if (amounts.length > 0) limits[act] = Math.max(...amounts);
  }
  return {
    roles: rows.map(({ role }) => role).filter(isRole),
    permissions: new Set(PERMISSION_NAMES.filter((name) => given.has(name))),
    limits,
  };
}

export type PersonAdded =
  | { readonly is: "added"; readonly id: string }
  | { readonly is: "nameTaken" }
  | { readonly is: "separateRoles"; readonly roles: readonly [RoleName, RoleName] };

/** Two roles of these that one person never has together. */
export function separateIn(roles: readonly RoleName[]): readonly [RoleName, RoleName] | undefined {
  return SEPARATE_ROLES.find(([one, other]) => roles.includes(one) && roles.includes(other));
}

/** Adds a member of staff, who signs in once through a link. */
export async function addPerson(
  trx: StaffTransaction,
  random: Random,
  given: { username: string; name: string; roles: readonly RoleName[]; addedBy: string },
): Promise<PersonAdded> {
  const roles = separateIn(given.roles);
  if (roles !== undefined) return { is: "separateRoles", roles };
  const id = newId(random, "st");
  const added = await trx
    .insertInto("staff")
    .values({
      id,
      username: given.username,
      username_key: usernameKey(given.username),
      name: given.name,
      password: null,
      totp: null,
      added_by: given.addedBy,
      ended_at: null,
    })
    .onConflict((conflict) => conflict.column("username_key").doNothing())
    .executeTakeFirst();
  if (added.numInsertedOrUpdatedRows !== 1n) return { is: "nameTaken" };
  await giveRoles(trx, id, given.roles);
  return { is: "added", id };
}

const INVITATION_MS = 86_400_000;

/**
 * Makes a one-time link's token, good for a day, and takes every other way in from the person: who invites somebody again has lost trust in them.
 */
export async function invite(
  trx: StaffTransaction,
  random: Random,
  staffId: string,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newSecret(random);
  await trx.deleteFrom("staff_invitation").where("staff_id", "=", staffId).execute();
  await trx.deleteFrom("staff_passkey").where("staff_id", "=", staffId).execute();
  await trx.deleteFrom("staff_directory_link").where("staff_id", "=", staffId).execute();
  await trx.deleteFrom("staff_recovery_code").where("staff_id", "=", staffId).execute();
  await trx.updateTable("staff").set({ password: null, totp: null }).where("id", "=", staffId).execute();
  const { expires_at } = await trx
    .insertInto("staff_invitation")
    .values({ token_sha256: sha256(token), staff_id: staffId, expires_at: databaseIn(INVITATION_MS) })
    .returning("expires_at")
    .executeTakeFirstOrThrow();
  return { token, expiresAt: expires_at };
}

export type RolesSet = "set" | "changed" | "separateRoles" | "lastAdministrator" | "unknown";

/**
 * Gives a person these roles in place of `before`. `changed`: the roles are others than `before` by now. `lastAdministrator`: no administrator would be
 * left.
 */
export async function setRoles(
  trx: StaffTransaction,
  staffId: string,
  { roles, before }: { readonly roles: readonly RoleName[]; readonly before: readonly RoleName[] },
): Promise<RolesSet> {
  await lockRights(trx);
  const person = await findPerson(trx, staffId);
  if (person === undefined || person.ended_at !== null) return "unknown";
  const now = new Set<string>((await rightsOf(trx, staffId)).roles);
  if (now.symmetricDifference(new Set(before)).size > 0) return "changed";
  if (separateIn(roles) !== undefined) return "separateRoles";
  await trx.deleteFrom("staff_has_role").where("staff_id", "=", staffId).execute();
  await giveRoles(trx, staffId, roles);
  return now.has("administrator") && !(await hasAdministrator(trx)) ? "lastAdministrator" : "set";
}

/** All changes of rights come one after the other, so that two of them cannot each leave the other as the last administrator. */
async function lockRights(trx: StaffTransaction): Promise<void> {
  await sql`lock table staff_has_role in share row exclusive mode`.execute(trx);
}

async function hasAdministrator(trx: StaffTransaction): Promise<boolean> {
  const left = await trx
    .selectFrom("staff_has_role as h")
    .innerJoin("staff as s", "s.id", "h.staff_id")
    .select("s.id")
    .where("h.role", "=", "administrator")
    .where("s.ended_at", "is", null)
    .executeTakeFirst();
  return left !== undefined;
}

async function giveRoles(trx: StaffTransaction, staffId: string, roles: readonly RoleName[]): Promise<void> {
  if (roles.length === 0) return;
  await trx
    .insertInto("staff_has_role")
    .values([...new Set(roles)].map((role) => ({ staff_id: staffId, role })))
    .execute();
}

export type PersonEnded = "ended" | "callerEnded" | "lastAdministrator" | "unknown";

/**
 * Ends an account for ever; its sign-ins end with it (`endSignIns`). `unknown`: there is none, or it has ended before. `callerEnded`: so has the account
 * of who does it (`by`), meanwhile. `lastAdministrator`: it has ended now, and no administrator is left.
 */
export async function endPerson(trx: StaffTransaction, staffId: string, by?: string): Promise<PersonEnded> {
  await lockRights(trx);
  if (by !== undefined && (await findPerson(trx, by))?.ended_at !== null) return "callerEnded";
  const { numUpdatedRows } = await trx
    .updateTable("staff")
    .set({ ended_at: databaseNow() })
    .where("id", "=", staffId)
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  await trx.deleteFrom("staff_invitation").where("staff_id", "=", staffId).execute();
  // Who comes back is invited anew, and is still the same person of the directory.
  await trx.deleteFrom("staff_directory_link").where("staff_id", "=", staffId).execute();
  if (numUpdatedRows === 0n) return "unknown";
  return (await hasAdministrator(trx)) ? "ended" : "lastAdministrator";
}

export async function findPerson(db: Kysely<StaffTables>, id: string): Promise<Person | undefined> {
  return await db.selectFrom("staff").selectAll().where("id", "=", id).executeTakeFirst();
}

/** By any spelling of the name. */
export async function findPersonByName(db: Kysely<StaffTables>, username: string): Promise<Person | undefined> {
  if (!isKeepable(username)) return undefined;
  return await db.selectFrom("staff").selectAll().where("username_key", "=", usernameKey(username)).executeTakeFirst();
}

/** Everybody, also those whose account has ended, in the order of their names. */
export async function listPeople(db: Kysely<StaffTables>) {
  return await db
    .selectFrom("staff as s")
    .select(["s.id", "s.username", "s.name", "s.added_at", "s.added_by", "s.ended_at"])
    .select([
      sql<boolean>`s.password is not null`.as("hasPassword"),
      sql<string[]>`array(select role from staff_has_role where staff_id = s.id order by role)`.as("roles"),
      sql<number>`(select count(*)::int from staff_passkey where staff_id = s.id)`.as("passkeys"),
      sql<string | null>`(select name from staff_directory_link where staff_id = s.id)`.as("directory"),
      sql<Date | null>`(select max(created_at) from staff_sign_in where staff_id = s.id)`.as("lastSignIn"),
      sql<Date | null>`(select max(expires_at) from staff_invitation where staff_id = s.id)`.as("invitationExpiresAt"),
    ])
    .orderBy("s.username_key")
    .execute();
}

/** Each role with its rights, and how many people have it. */
export async function listRoles(db: Kysely<StaffTables>) {
  return await db
    .selectFrom("staff_role as r")
    .select(["r.role", "r.permissions", "r.limits"])
    .select(
      sql<number>`(select count(*)::int from staff_has_role h join staff s on s.id = h.staff_id where h.role = r.role and s.ended_at is null)`.as(
        "people",
      ),
    )
    .orderBy("r.role")
    .execute();
}

/** What a role is now, as one text: a change that two people decide holds for this alone. */
export async function roleMark(db: Kysely<StaffTables>, role: RoleName): Promise<string> {
  const row = await db
    .selectFrom("staff_role")
    .select(sql<string>`md5(permissions::text || limits::text)`.as("mark"))
    .where("role", "=", role)
    .executeTakeFirst();
  return row?.mark ?? "";
}

/** Sets what a role may do; false: it is another by now than `before` says. */
export async function setRole(
  trx: StaffTransaction,
  role: RoleName,
  { permissions, limits }: { readonly permissions: readonly Permission[]; readonly limits: object },
  before: string,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("staff_role")
    .set({ permissions: [...new Set(permissions)], limits: JSON.stringify(limits) })
    .where("role", "=", role)
    .where(sql<boolean>`md5(permissions::text || limits::text) = ${before}`)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
