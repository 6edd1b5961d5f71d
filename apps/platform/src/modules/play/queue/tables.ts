import type { QueueWish } from "@longarm/contract/player-queue";
import type { ColumnType, GeneratedAlways, Kysely, RawBuilder, Selectable } from "kysely";
import { sql } from "kysely";
import type { PlayTables } from "../tables.ts";

/** A time by the database's clock. */
type AtDatabase = ColumnType<Date | null, RawBuilder<Date> | null | undefined, RawBuilder<Date> | null>;

/** Places in queues (`migrations/queue`). */
export type QueueTables = PlayTables & {
  queue_place: {
    id: string;
    player_id: string;
    number: GeneratedAlways<number>;
    rank: ColumnType<number | null, undefined, number | null>;
    wants: string[];
    chosen: ColumnType<string[] | null, undefined, string[] | null>;
    link_passed: ColumnType<boolean, undefined, boolean>;
    joined_at: ColumnType<Date, undefined, never>;
    seen_at: ColumnType<Date, undefined, RawBuilder<Date>>;
    lets: ColumnType<number, undefined, number>;
    misses: ColumnType<number, undefined, number>;
    passes: ColumnType<number, undefined, number>;
    not_before: AtDatabase;
    kept_by: ColumnType<string | null, undefined, string | null>;
    called_machine: ColumnType<string | null, undefined, string | null>;
    called_at: AtDatabase;
    call_until: AtDatabase;
    call_elsewhere: ColumnType<boolean, undefined, boolean>;
    ended_at: AtDatabase;
    end_reason: ColumnType<string | null, undefined, string | null>;
  };
  seat_turn: {
    machine_id: string;
    play_session_id: string;
    limit_min: number;
    left_ms: number;
    ends_at: AtDatabase;
    looked_at: ColumnType<Date, undefined, RawBuilder<Date>>;
  };
};
export type QueueDb = Kysely<QueueTables>;
export type PlaceRow = Selectable<QueueTables["queue_place"]>;

/** What a wish is in the table: any of these texts. */
export function wantsOf(wish: QueueWish): string[] {
  if ("machine" in wish) return [`machine:${wish.machine}`];
  if ("brand" in wish) return [`brand:${wish.brand}`];
  if ("denomination" in wish) return [`denomination:${wish.denomination}`];
  return [...new Set(wish.machines)].toSorted().map((id) => `machine:${id}`);
}

/** The wish of a row. */
export function wishOf(wants: readonly string[]): QueueWish {
  const named = wants.map((want) => want.slice(want.indexOf(":") + 1));
  const [first = ""] = named;
  if (wants[0]?.startsWith("brand:")) return { brand: first };
  if (wants[0]?.startsWith("denomination:")) return { denomination: Number(first) };
  return named.length === 1 ? { machine: first } : { machines: named };
}

/** For queries with a machine `m`: what a place may want so that this machine would do. */
export function wantsMet(): RawBuilder<string[]> {
  return sql<
    string[]
  >`array['machine:' || m.id, 'brand:' || (m.facts ->> 'brand'), 'denomination:' || (m.facts ->> 'denomination')]`;
}

/** How many players wait for a machine, and whether it is kept for one of them. */
export type WaitingNow = { readonly count: number; readonly called: boolean };

/** Who waits for each machine that has a queue, in one look at all places: a place wants a machine by one of its texts. */
export async function waitingNow(
  db: QueueDb,
  machineIds?: readonly string[],
): Promise<ReadonlyMap<string, WaitingNow>> {
  const { rows } = await sql<WaitingNow & { id: string }>`
    with waiting as (select want, count(*) as places from queue_place, unnest(wants) want where ended_at is null group by want)
    select m.id, sum(w.places)::int as count, exists (select from queue_place q where q.called_machine = m.id) as called
    from machine m join waiting w on w.want = any(${wantsMet()})
    where ${machineIds === undefined ? sql`true` : sql`m.id = any(${[...machineIds]}::text[])`} group by m.id`.execute(
    db,
  );
  return new Map(rows.map(({ id, ...now }) => [id, now]));
}
