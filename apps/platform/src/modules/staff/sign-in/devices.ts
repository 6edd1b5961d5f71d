import { runTransaction } from "@longarm/database/run-transaction";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { randomText } from "../../players/accounts/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { StaffDb, StaffTransaction } from "../accounts/index.ts";
import { findPerson, newSecret, sha256 } from "../accounts/index.ts";
import { Refused } from "./refusal.ts";
import type { StaffCaller } from "./sign-ins.ts";
import { actorOf, openSignIn } from "./sign-ins.ts";

/*
 * A command line signs in as a member of staff, in the manner of RFC 8628: it shows a short code, a person confirms the code at the console, and the
 * command line, which holds a long code, fetches its sign-in. Both codes are kept as hashes, and the sign-in's token is made when it is fetched.
 */

/** How long a code may wait, ms. */
const CODE_MS = 600_000;
/** RFC 8628, 3.5: between two polls, and what a poll that comes too early adds, seconds. */
const INTERVAL_S = 5;
const SLOWER_S = 5;
const INTERVAL_MAX_S = 60;
/** Consonants without look-alikes, so that no code is a word. Source: RFC 8628, 6.1. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LETTERS = 8;
/** Codes that wait at the same time. */
const WAITING_MAX = 50;
/** Wrong codes of one person within `CODE_MS`: 20^8 codes are then not found by trying. */
const MISSES_MAX = 5;

/** However it is typed, a code has one hash. */
const codeHash = (code: string): string => sha256(`device ${code.toUpperCase().replaceAll(/[^A-Z]/g, "")}`);

/** Whose command line asks: what it says of itself, which a person compares with what they see. */
export type Asker = { readonly computer: string; readonly systemUser: string };

/** Begins a sign-in of a command line. `deviceCode` is its own secret; `userCode` is what a person types. @throws Refused: too many wait. */
export async function askDevice(
  { db, node, random }: { readonly db: StaffDb; readonly node: string; readonly random: Random },
  { computer, systemUser }: Asker,
) {
  const deviceCode = newSecret(random);
  const letters = randomText(random, LETTERS, CODE_LETTERS);
  return await runTransaction(db, async (trx) => {
    await trx.deleteFrom("staff_device").where("expires_at", "<=", databaseNow()).execute();
    const { waiting } = await trx
      .selectFrom("staff_device")
      .select(sql<number>`count(*)::int`.as("waiting"))
      .executeTakeFirstOrThrow();
    if (waiting >= WAITING_MAX) throw new Refused("request.tooMany", { seconds: CODE_MS / 1_000 });
    const { id, expires_at } = await trx
      .insertInto("staff_device")
      .values({
        id: newId(random, "dv"),
        device_code_sha256: sha256(deviceCode),
        user_code_sha256: codeHash(letters),
        computer,
        os_user: systemUser,
        expires_at: databaseIn(CODE_MS),
        interval_s: INTERVAL_S,
        staff_id: null,
        sign_in_id: null,
      })
      .returning(["id", "expires_at"])
      .executeTakeFirstOrThrow();
    await openAudit(trx, node).write({
      type: "staff.deviceRequested",
      actor: `device:${id}`,
      subject: `device:${id}`,
      facts: { computer, systemUser },
    });
    const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    return { deviceCode, userCode, expiresAt: expires_at, intervalS: INTERVAL_S };
  });
}

/** The request that shows this code, also when it is decided. A wrong code counts, before it is looked up: many at once cannot pass the limit. @throws Refused. */
export async function lookDevice(
  { db, node }: { readonly db: StaffDb; readonly node: string },
  caller: StaffCaller,
  code: string,
  address: string,
) {
  await db
    .deleteFrom("staff_device_miss")
    .where("staff_id", "=", caller.staffId)
    .where("missed_at", "<=", databaseIn(-CODE_MS))
    .execute();
  const { id: miss } = await db
    .insertInto("staff_device_miss")
    .values({ staff_id: caller.staffId })
    .returning("id")
    .executeTakeFirstOrThrow();
  const { before } = await db
    .selectFrom("staff_device_miss")
    .select(sql<number>`count(*)::int`.as("before"))
    .where("staff_id", "=", caller.staffId)
    .where("id", "<", miss)
    .executeTakeFirstOrThrow();
  if (before >= MISSES_MAX) {
    await db.deleteFrom("staff_device_miss").where("id", "=", miss).execute();
    throw new Refused("request.tooMany", { seconds: CODE_MS / 1_000 });
  }
  const found = await db
    .selectFrom("staff_device")
    .select(["id", "computer", "os_user", "requested_at", "expires_at", "state"])
    .where("user_code_sha256", "=", codeHash(code))
    .where("expires_at", ">", databaseNow())
    .executeTakeFirst();
  if (found === undefined) {
    const actor = actorOf(caller);
    await openAudit(db, node).write({
      type: "staff.deviceCodeWrong",
      actor,
      subject: `staff:${caller.staffId}`,
      address,
    });
    throw new Refused("device.unknown");
  }
  await db.deleteFrom("staff_device_miss").where("id", "=", miss).execute();
  return found;
}

/** Decides a request once, as the caller. @throws Refused: it was decided before, or its time is over. */
export async function decideDevice(
  trx: StaffTransaction,
  { staffId, signIn }: StaffCaller,
  { id, state }: { readonly id: string; readonly state: "confirmed" | "refused" },
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable("staff_device")
    .set({ state, staff_id: staffId, sign_in_id: signIn.id })
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .where("expires_at", ">", databaseNow())
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new Refused("device.unknown");
}

/** What a command line learns when it asks whether it is signed in. */
export type DevicePoll =
  | { readonly is: "waiting" | "slowDown"; readonly intervalS: number }
  | { readonly is: "refused" | "expired" }
  | { readonly is: "signedIn"; readonly token: string; readonly username: string };

type PollDeps = { readonly db: StaffDb; readonly node: string; readonly random: Random; readonly hours: number };

/** Fetches the sign-in, once. The person who confirmed it must still be signed in. */
export async function pollDevice(deps: PollDeps, deviceCode: string): Promise<DevicePoll> {
  return await runTransaction(deps.db, async (trx): Promise<DevicePoll> => {
    const row = await trx
      .selectFrom("staff_device")
      .selectAll()
      .select(sql<boolean>`polled_at + interval_s * interval '1 second' > clock_timestamp()`.as("early"))
      .where("device_code_sha256", "=", sha256(deviceCode))
      .where("expires_at", ">", databaseNow())
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return { is: "expired" };
    if (row.early) {
      const intervalS = Math.min(row.interval_s + SLOWER_S, INTERVAL_MAX_S);
      await change(trx, row.id, { interval_s: intervalS, polled_at: databaseNow() });
      return { is: "slowDown", intervalS };
    }
    if (row.state === "waiting") {
      await change(trx, row.id, { polled_at: databaseNow() });
      return { is: "waiting", intervalS: row.interval_s };
    }
    await trx.deleteFrom("staff_device").where("id", "=", row.id).execute();
    return row.state === "refused" ? { is: "refused" } : await enter(trx, deps, row);
  });
}

async function change(
  trx: StaffTransaction,
  id: string,
  values: { readonly interval_s?: number; readonly polled_at: ReturnType<typeof databaseNow> },
): Promise<void> {
  await trx.updateTable("staff_device").set(values).where("id", "=", id).execute();
}

type Confirmed = {
  readonly staff_id: string | null;
  readonly sign_in_id: string | null;
  readonly computer: string;
  readonly os_user: string;
};

async function enter(
  trx: StaffTransaction,
  { node, random, hours }: PollDeps,
  { staff_id, sign_in_id, computer, os_user }: Confirmed,
): Promise<DevicePoll> {
  const confirmer = await trx
    .selectFrom("staff_sign_in")
    .select("id")
    .where("id", "=", sign_in_id ?? "")
    .where("ended_at", "is", null)
    .where("expires_at", ">", databaseNow())
    .executeTakeFirst();
  const person = await findPerson(trx, staff_id ?? "");
  if (confirmer === undefined || person === undefined) return { is: "refused" };
  await openAudit(trx, node).actAs(actorOf(person));
  const device = `longarm, ${computer}, ${os_user}`;
  const token = await openSignIn(trx, random, {
    staffId: person.id,
    how: "device",
    device,
    address: "terminal",
    hours,
  });
  return token === undefined ? { is: "refused" } : { is: "signedIn", token, username: person.username };
}
