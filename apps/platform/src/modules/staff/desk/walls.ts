import { VIEWS_MAX } from "@longarm/contract/staff-wall";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { StaffDb, StaffTransaction } from "../accounts/index.ts";
import { newSecret, sha256 } from "../accounts/index.ts";
import { Refused } from "../sign-in/index.ts";

/** Displays that may be open at once: a venue has a handful, and a list without end would be of no help. */
const DISPLAYS_MAX = 50;
/** That a display was seen is written down at most this often, ms. */
const SEEN_EVERY_MS = 30_000;

/** Admits a display; its token is answered once. @throws Refused: there are enough. */
export async function admitDisplay(
  trx: StaffTransaction,
  random: Random,
  given: { readonly name: string; readonly group: string | null; readonly by: string },
): Promise<{ display: string; token: string }> {
  // Two that come at once run one after the other.
  await sql`select pg_advisory_xact_lock(hashtextextended('longarm wall displays', 0))`.execute(trx);
  const { open } = await trx
    .selectFrom("wall_display")
    .select((eb) => eb.fn.countAll<number>().as("open"))
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  if (open >= DISPLAYS_MAX)
    throw new Refused("act.refused", { sentence: `There are ${DISPLAYS_MAX} wall displays: end one first.` });
  const id = newId(random, "wd");
  const token = newSecret(random);
  await trx
    .insertInto("wall_display")
    .values({ id, name: given.name, shows_group: given.group, token_sha256: sha256(token), made_by: given.by })
    .execute();
  return { display: id, token };
}

/** Ends a display: its token opens nothing from now on, on every node. @throws Refused: it is none, or has ended. */
export async function endDisplay(trx: StaffTransaction, id: string, by: string): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable("wall_display")
    .set({ ended_at: databaseNow(), ended_by: by })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new Refused("thing.unknown", { kind: "display" });
}

/** Every display, the newest first. */
export async function listDisplays(db: StaffDb) {
  return await db
    .selectFrom("wall_display as d")
    .innerJoin("staff as s", "s.id", "d.made_by")
    .select(["d.id", "d.name", "d.shows_group", "d.made_at", "d.seen_at", "d.seen_from", "d.ended_at"])
    .select(["s.id as staffId", "s.name as staffName"])
    .orderBy("d.made_at", "desc")
    .limit(500)
    .execute();
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The display of a token, and notes that it was seen from there. Undefined: the token opens nothing. */
export async function findDisplay(db: StaffDb, token: string, address: string) {
  if (!TOKEN.test(token)) return undefined;
  const row = await db
    .selectFrom("wall_display")
    .select(["id", "name", "shows_group as group"])
    .select(
      sql<boolean>`seen_at is null or seen_from is distinct from ${address} or seen_at + ${SEEN_EVERY_MS} * interval '1 millisecond' < clock_timestamp()`.as(
        "isNews",
      ),
    )
    .where("token_sha256", "=", sha256(token))
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (row?.isNews === true)
    await db
      .updateTable("wall_display")
      .set({ seen_at: databaseNow(), seen_from: address.slice(0, 100) })
      .where("id", "=", row.id)
      .execute();
  return row && { id: row.id, name: row.name, group: row.group };
}

/** Views of a person, the oldest first. */
export async function listViews(db: StaffDb, staffId: string) {
  return await db
    .selectFrom("staff_view")
    .select(["id", "name", "search"])
    .where("staff_id", "=", staffId)
    .orderBy("made_at")
    .execute();
}

/** Keeps a view; one of the same name is replaced. @throws Refused: the person has enough. */
export async function keepView(
  trx: StaffTransaction,
  random: Random,
  { staffId, name, search }: { readonly staffId: string; readonly name: string; readonly search: string },
): Promise<{ view: string }> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`longarm views ${staffId}`}, 0))`.execute(trx);
  const own = await listViews(trx, staffId);
  const same = own.find((one) => one.name === name);
  if (same !== undefined) {
    await trx.updateTable("staff_view").set({ search }).where("id", "=", same.id).execute();
    return { view: same.id };
  }
  if (own.length >= VIEWS_MAX)
    throw new Refused("act.refused", { sentence: `You keep ${VIEWS_MAX} views: remove one first.` });
  const id = newId(random, "sv");
  await trx.insertInto("staff_view").values({ id, staff_id: staffId, page: "floor", name, search }).execute();
  return { view: id };
}

/** @throws Refused: this person has no such view. */
export async function removeView(trx: StaffTransaction, staffId: string, id: string): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom("staff_view")
    .where("id", "=", id)
    .where("staff_id", "=", staffId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new Refused("thing.unknown", { kind: "view" });
}
