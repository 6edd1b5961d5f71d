import type { Transaction } from "kysely";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import { dropWaiting } from "../../talk/outbox/index.ts";
import type { Waiting } from "./order.ts";
import { afterLinkPass, afterMiss, afterPass } from "./order.ts";
import type { PlaceRow, QueueDb, QueueTables } from "./tables.ts";
import { wantsMet } from "./tables.ts";

type Trx = Transaction<QueueTables>;

/** A place of a line with what the order needs of it. */
export type InLine = PlaceRow & Waiting & { readonly machineId: string };

/** More are not read: a queue has at most 100 places of its own, and each player of a brand's queue at most five. */
const LINE_MAX = 1_000;

/** Who waits for these machines, in the order of joining: a place for several machines is in the line of each. */
export async function linesOf(db: QueueDb, machineIds: readonly string[]): Promise<InLine[]> {
  if (machineIds.length === 0) return [];
  const { rows } = await sql<PlaceRow & { machineId: string; ready: boolean }>`
    select q.*, coalesce(q.rank, q.number) as number, m.id as "machineId",
      (q.called_machine is null and coalesce(q.not_before <= clock_timestamp(), true)) as ready
    from machine m join queue_place q on q.ended_at is null and q.wants && ${wantsMet()}
    where m.id = any(${[...machineIds]}::text[]) order by coalesce(q.rank, q.number) limit ${LINE_MAX * machineIds.length}`.execute(
    db,
  );
  return rows;
}

/** Players who wait for these machines. */
export async function waitersOf(db: QueueDb, machineIds: readonly string[]): Promise<string[]> {
  return [...new Set((await linesOf(db, machineIds)).map(({ player_id }) => player_id))];
}

/** Whether somebody else waits for a machine whom nothing but the time of the next call keeps from it: others may not sit down then. */
export async function isWaitedFor(trx: Trx, machineId: string, playerId: string): Promise<boolean> {
  const line = await linesOf(trx, [machineId]);
  return line.some(
    ({ player_id, kept_by, called_machine }) =>
      player_id !== playerId && kept_by === null && (called_machine ?? machineId) === machineId,
  );
}

/** A machine is kept for a place. @returns until when; undefined: it is not, it may have been called to another machine, or have ended meanwhile. */
export async function beginCall(
  trx: Trx,
  id: string,
  { machineId, ms, elsewhere }: { readonly machineId: string; readonly ms: number; readonly elsewhere: boolean },
): Promise<Date | undefined> {
  const called = await trx
    .updateTable("queue_place")
    .set({
      called_machine: machineId,
      called_at: databaseNow(),
      call_until: databaseIn(ms),
      call_elsewhere: elsewhere,
      kept_by: null,
      not_before: null,
    })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .where("called_machine", "is", null)
    .returning("call_until")
    .executeTakeFirst();
  return called?.call_until ?? undefined;
}

/** Somebody else was called in its stead: it owes one turn less, and need not wait for its own any longer. */
export async function letGo(trx: Trx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update queue_place set lets = lets - 1, not_before = case when kept_by is null then null else not_before end
    where id = any(${[...ids]}::text[]) and lets > 0`.execute(trx);
}

/** After a call that was not answered, its player is called again after this at the earliest, ms, or once another was called in its stead. */
const AGAIN_MS = 30_000;

/** What pushes about the call of a place are about. */
export const subjectOf = (placeId: string): string => `place:${placeId}`;

const noCall = { called_machine: null, called_at: null, call_until: null, call_elsewhere: false } as const;

/** How a call ends without its player. */
export type CallEnd = keyof typeof AFTER;
const AFTER = { missed: afterMiss, passed: afterPass, linkPassed: afterLinkPass } as const;

/** A call ends without its player: one place back, or, missed the second time, the end of the place. */
export async function endCall(trx: Trx, place: PlaceRow, how: CallEnd): Promise<void> {
  const counts = AFTER[how](place);
  if (counts === null) return await endPlaces(trx, [place.id], "missed");
  await trx
    .updateTable("queue_place")
    .set({ ...counts, ...noCall, link_passed: how === "linkPassed", not_before: databaseIn(AGAIN_MS) })
    .where("id", "=", place.id)
    .execute();
  await ringNoMore(trx, [place]);
}

/** The call of these places is over: no device rings for it any more. */
async function ringNoMore(db: QueueDb, places: readonly { readonly id: string }[]): Promise<void> {
  for (const { id } of places) await dropWaiting(db, "push", subjectOf(id));
}

/** Something that may be over soon keeps a place from being called: the next is called, and it is looked at again after this, ms. */
const KEPT_MS = 10_000;

export async function keepFromCalls(trx: Trx, id: string, problem: string): Promise<void> {
  await trx
    .updateTable("queue_place")
    .set({ kept_by: problem, not_before: databaseIn(KEPT_MS) })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .execute();
}

/** Ends places that have not ended yet. */
export async function endPlaces(db: QueueDb, ids: readonly string[], reason: string): Promise<void> {
  if (ids.length === 0) return;
  const ended = await db
    .updateTable("queue_place")
    .set({ ...noCall, ended_at: databaseNow(), end_reason: reason })
    .where("id", "in", [...ids])
    .where("ended_at", "is", null)
    .returning("id")
    .execute();
  await ringNoMore(db, ended);
}

/** A player has sat down: the place that was called there has come to its end, and so has one for this machine alone. */
export async function placesSeated(
  trx: Trx,
  { playerId, machineId }: { readonly playerId: string; readonly machineId: string },
): Promise<void> {
  const seated = await trx
    .updateTable("queue_place")
    .set({ ...noCall, ended_at: databaseNow(), end_reason: "seated" })
    .where("player_id", "=", playerId)
    .where("ended_at", "is", null)
    .where((eb) =>
      eb.or([eb("called_machine", "=", machineId), eb("wants", "=", sql<string[]>`array[${`machine:${machineId}`}]`)]),
    )
    .returning("id")
    .execute();
  await ringNoMore(trx, seated);
}
