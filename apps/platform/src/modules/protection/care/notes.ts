import type { ColumnType, Generated, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";

/* What no other room keeps: refused deposits and cash-ins, and what a player says can be lost in a month. */

/** `migrations/protection/0010`. */
export type CareTables = {
  care_refusal: {
    id: Generated<number>;
    player_id: string;
    kind: "deposit" | "cashIn";
    at: ColumnType<Date, never, never>;
  };
  care_means: {
    id: Generated<number>;
    player_id: string;
    amount: number;
    staff_id: string | null;
    reason: string;
    declared_at: ColumnType<Date, never, never>;
  };
  care_look: { player_id: string; looked_at: Date };
};

/** Refusals of one player that are kept in an hour: a page that tries again and again fills no table. */
const REFUSALS_PER_HOUR = 20;
/** They are deleted after so many days. */
const REFUSALS_KEPT_DAYS = 7;

/** Keeps that money could not be added. */
export async function noteRefusal(db: AnyDb, playerId: string, kind: "deposit" | "cashIn"): Promise<void> {
  await sql`insert into care_refusal (player_id, kind) select ${playerId}, ${kind}
    where (select count(*) from care_refusal where player_id = ${playerId} and at > clock_timestamp() - interval '1 hour') < ${REFUSALS_PER_HOUR}`.execute(
    db,
  );
}

/** Deletes what is older than a week, a bounded number at a time. */
export async function forgetRefusals(db: AnyDb, most: number): Promise<void> {
  await sql`delete from care_refusal where id in (select id from care_refusal
    where at < clock_timestamp() - make_interval(days => ${REFUSALS_KEPT_DAYS}) order by at limit ${most})`.execute(db);
}

/** For queries: the refusals of a player in the last days, by their time (`at`). */
export function refusalsSince(id: RawBuilder<unknown>, days: number): RawBuilder<unknown> {
  return sql`select r.at from care_refusal r where r.player_id = ${id} and r.at > clock_timestamp() - make_interval(days => ${days}::int)`;
}

/** A higher amount that the player says counts after so many days: what a player says while losing hides no loss. */
const HIGHER_AFTER_DAYS = 30;

/** For queries: what counts of what a player declared, minor units: of the last that staff noted, or that is old enough, and of all after it the lowest. */
export function declaredOf(id: RawBuilder<unknown>): RawBuilder<number | null> {
  return sql<number | null>`(select min(m.amount) from care_means m where m.player_id = ${id} and m.id >= coalesce((
    select max(o.id) from care_means o where o.player_id = ${id}
      and (o.staff_id is not null or o.declared_at <= clock_timestamp() - make_interval(days => ${HIGHER_AFTER_DAYS}))), 0))`;
}

/** What a player says in a day that is kept. */
const OWN_PER_DAY = 20;

/** Keeps what the player says; the same again adds nothing. False: it was said too often today. */
export async function declareOwnMeans(db: AnyDb, playerId: string, amount: number): Promise<boolean> {
  if ((await lastDeclared(db, playerId)) === amount) return true;
  const { rows } =
    await sql`insert into care_means (player_id, amount, staff_id, reason) select ${playerId}, ${amount}::bigint, null, 'said by the player'
    where (select count(*) from care_means where player_id = ${playerId} and staff_id is null
      and declared_at > clock_timestamp() - interval '1 day') < ${OWN_PER_DAY} returning id`.execute(db);
  return rows.length > 0;
}

/** What was declared last, whether it counts yet or not, minor units; null: nothing. */
export async function lastDeclared(db: AnyDb, playerId: string): Promise<number | null> {
  const { rows } = await sql<{ amount: number }>`
    select amount::float8 as amount from care_means where player_id = ${playerId} order by id desc limit 1`.execute(db);
  return rows[0]?.amount ?? null;
}

/** Keeps what a player says can be lost in a month. */
export async function declareMeans(
  db: AnyDb,
  { playerId, amount, by, reason }: { playerId: string; amount: number; by: string; reason: string },
): Promise<void> {
  await db
    .withTables<CareTables>()
    .insertInto("care_means")
    .values({ player_id: playerId, amount, staff_id: by, reason })
    .execute();
}

/** What counts of what a player declared, minor units; null: nothing. */
export async function declaredNow(db: AnyDb, playerId: string): Promise<number | null> {
  const { rows } = await sql<{ amount: number | null }>`select ${declaredOf(sql`${playerId}`)} as amount`.execute(db);
  return rows[0]?.amount ?? null;
}
