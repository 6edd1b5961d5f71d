import type { Kysely, RawBuilder, Transaction } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";

/** Whose device it is: a member of staff's, or that of one sign-in of a player. */
type Owner = { readonly staffId: string } | { readonly playerId: string; readonly signIn: string };

type NewDevice = Owner & {
  /** Where its browser's push service takes messages for it. */
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly label: string;
  readonly language: "en" | "tr" | "ar";
};

/** Devices that one person may have. */
const DEVICES_MAX = 10;

/**
 * Adds a device, in place of one with the same address or the same sign-in. Undefined: the member of staff has too many; of a player's the oldest
 * makes room, because players see no list of them.
 */
export async function addDevice(
  trx: Transaction<unknown>,
  random: Random,
  given: NewDevice,
): Promise<string | undefined> {
  const { staffId, playerId, signIn } = { staffId: null, playerId: null, signIn: null, ...given };
  // One device of a person after the other, so that none is counted twice.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`devices of ${staffId ?? playerId}`}, 0))`.execute(trx);
  await sql`delete from push_device where endpoint = ${given.endpoint} or sign_in = ${signIn}`.execute(trx);
  const others = sql`select id from push_device where staff_id = ${staffId} or player_id = ${playerId}
    order by added_at desc, id offset ${DEVICES_MAX - 1}`;
  if (playerId !== null) await sql`delete from push_device where id in (${others})`.execute(trx);
  else if ((await others.execute(trx)).rows.length > 0) return undefined;
  const id = newId(random, "pd");
  await sql`insert into push_device (id, staff_id, player_id, sign_in, endpoint, p256dh, auth, label, language)
    values (${id}, ${staffId}, ${playerId}, ${signIn}, ${given.endpoint}, ${given.p256dh}, ${given.auth}, ${given.label}, ${given.language})`.execute(
    trx,
  );
  return id;
}

/** @returns whether this person had it. */
export async function removeDevice(db: Kysely<unknown>, staffId: string, id: string): Promise<boolean> {
  const { rows } = await sql`delete from push_device where id = ${id} and staff_id = ${staffId} returning id`.execute(
    db,
  );
  return rows.length > 0;
}

/** Whether a sign-in of a player has a device. */
export async function hasDevice(db: Kysely<unknown>, signIn: string): Promise<boolean> {
  const { rows } = await sql`select from push_device where sign_in = ${signIn}`.execute(db);
  return rows.length > 0;
}

/** Forgets the device of a sign-in of a player. */
export async function endDevice(db: Kysely<unknown>, signIn: string): Promise<void> {
  await sql`delete from push_device where sign_in = ${signIn}`.execute(db);
}

/** Forgets devices of players that nothing may be pushed to any more. @returns how many. `mayRing`: of a row `d` of the table. */
export async function forgetDevices(db: Kysely<unknown>, mayRing: RawBuilder<boolean>): Promise<number> {
  const { rows } =
    await sql`delete from push_device d where d.player_id is not null and not ${mayRing} returning d.id`.execute(db);
  return rows.length;
}

type ListedDevice = {
  readonly id: string;
  readonly label: string;
  readonly addedAt: Date;
  readonly usedAt: Date | null;
};

/** Devices of a member of staff, oldest first. */
export async function listDevices(db: Kysely<unknown>, staffId: string): Promise<ListedDevice[]> {
  const { rows } = await sql<ListedDevice>`select id, label, added_at as "addedAt", used_at as "usedAt" from push_device
    where staff_id = ${staffId} order by added_at, id`.execute(db);
  return rows;
}

/** Ids of the devices of these people, members of staff or players. */
export async function devicesOf(db: AnyDb, people: readonly string[]): Promise<string[]> {
  if (people.length === 0) return [];
  const { rows } = await sql<{ id: string }>`select id from push_device
    where staff_id = any(${[...people]}::text[]) or player_id = any(${[...people]}::text[])`.execute(db);
  return rows.map(({ id }) => id);
}
