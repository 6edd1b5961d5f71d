import type { SessionRow } from "@longarm/contract/http";
import { sql } from "kysely";
import type * as z from "zod/mini";
import type { History } from "./list.ts";
import type { Place } from "./listing.ts";

/** A play session as it is read. */
export type StoredSession = {
  id: string;
  machine_id: string;
  started_at: Date;
  ended_at: Date | null;
  /** Seconds; of one that goes on, until now. */
  seconds: number;
  games: number;
  free_spins: number | null;
  net: number;
  jackpots: { name: string; amount: number }[] | null;
};
type Kind = { machine_id: string };

const CURSOR = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** Of one play session that are listed at most. */
const JACKPOTS_MAX = 20;

/** Won in the play session, as the machine reported it: those that it paid to its own credit meter move nothing in the wallet. */
const jackpots = sql`(select jsonb_agg(jsonb_build_object('name', coalesce(e.body ->> 'name', ''), 'amount', e.body -> 'amount') order by e.seq)
    from (select seq, body from machine_event where play_session_id = r.id and kind = 'jackpot' and (body ->> 'amount')::bigint > 0
      order by seq limit ${sql.lit(JACKPOTS_MAX)}) e)`;

/** What a player has played, machine by machine. */
export const sessions: History<StoredSession, Kind, z.input<typeof SessionRow>> = {
  listing: { table: "play_session", time: "started_at", tie: "id", kind: { machine_id: "text" } },
  columns: sql`r.id, r.machine_id, r.started_at, r.ended_at, r.games, r.free_spins, r.net, ${jackpots} as jackpots,
    greatest(0, floor(extract(epoch from coalesce(r.ended_at, now()) - r.started_at)))::bigint as seconds`,
  having: () => ({}),
  textsOf: ({ machine_id: id }, nameOf) => [nameOf(id)],
  cursorOf: ({ id }) => id,
  async placeOf(trx, playerId, cursor) {
    if (!CURSOR.test(cursor)) return undefined;
    const found = await sql<Place>`select started_at::text as at, id as tie from play_session
      where id = ${cursor} and player_id = ${playerId}`.execute(trx);
    return found.rows[0];
  },
  rowOf: (stored, nameOf) => ({
    id: stored.id,
    machine: nameOf(stored.machine_id),
    machineId: stored.machine_id,
    start: stored.started_at.toISOString(),
    end: stored.ended_at?.toISOString() ?? null,
    duration: stored.seconds,
    spin_count: stored.games,
    ...(stored.free_spins !== null && { free_spin_count: stored.free_spins }),
    amount: stored.net,
    ...(stored.jackpots !== null && { jackpots: stored.jackpots }),
  }),
};
