import type { QUEUE_MOVES } from "@longarm/contract/staff-floor";
import type { Transaction } from "kysely";
import { sql } from "kysely";
import { usernameOf } from "../../players/accounts/index.ts";
import type { Audit } from "../../records/audit/index.ts";
import { endPlaces, linesOf } from "./line.ts";
import type { QueueDb, QueueTables } from "./tables.ts";

/** A place as staff sees it. */
export type QueueRow = {
  readonly id: string;
  readonly playerId: string;
  readonly player: string;
  readonly joinedAt: Date;
  /** How many more others it lets go first. */
  readonly lets: number;
  readonly misses: number;
  /** Until when the machine is kept for it; null: it is not called there. */
  readonly calledUntil: Date | null;
  /** The problem that keeps it from being called; null: none. */
  readonly keptBy: string | null;
  /** Staff has moved it. */
  readonly moved: boolean;
};

/** Who waits for a machine, in the order of the queue. */
export async function queueAt(db: QueueDb, machineId: string): Promise<QueueRow[]> {
  const line = await linesOf(db, [machineId]);
  if (line.length === 0) return [];
  const { rows } = await sql<{ id: string; name: string }>`select q.id, ${usernameOf("q.player_id")} as name
    from queue_place q where q.id = any(${line.map(({ id }) => id)}::text[])`.execute(db);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return line.map((place) => ({
    id: place.id,
    playerId: place.player_id,
    player: names.get(place.id) ?? place.player_id,
    joinedAt: place.joined_at,
    lets: place.lets,
    misses: place.misses,
    calledUntil: place.called_machine === machineId ? place.call_until : null,
    keptBy: place.kept_by,
    moved: place.rank !== null,
  }));
}

export type QueueMove = (typeof QUEUE_MOVES)[number];

/** Moves a place to the beginning or the end of every queue it is in, or ends it. @returns false: it does not wait for this machine. */
export async function moveInQueue(
  trx: Transaction<QueueTables>,
  { machineId, placeId, to }: { readonly machineId: string; readonly placeId: string; readonly to: QueueMove },
  { audit, actor, reason }: { readonly audit: Pick<Audit, "write">; readonly actor: string; readonly reason: string },
): Promise<boolean> {
  const place = (await linesOf(trx, [machineId])).find(({ id }) => id === placeId);
  if (place === undefined) return false;
  if (to === "out") await endPlaces(trx, [placeId], "staff");
  else {
    const edge = to === "first" ? sql`min(coalesce(rank, number)) - 1` : sql`max(coalesce(rank, number)) + 1`;
    await sql`update queue_place set rank = (select ${edge} from queue_place where ended_at is null), lets = 0
      where id = ${placeId}`.execute(trx);
  }
  const facts = { placeId, playerId: place.player_id, to, reason };
  await audit.write({ type: "queue.moved", actor, subject: `machine:${machineId}`, facts });
  return true;
}
