import type { RecentPlay, SessionEnd } from "@longarm/contract/player-record";
import { RECENT_DAYS } from "@longarm/contract/player-record";
import { sql } from "kysely";
import type { HistoryDb } from "./listing.ts";
import { machineNames, reading } from "./listing.ts";

type Newest = {
  id: string;
  machine_id: string;
  started_at: Date;
  ended_at: Date | null;
  end_reason: SessionEnd | null;
  seconds: number;
  games: number;
  wagered: number;
  won: number;
  cashed_out: number;
};

/** What a player played lately: the newest play session, and the last days. */
export async function readRecent(db: HistoryDb, playerId: string): Promise<RecentPlay> {
  return await reading(db, async (trx) => {
    const newest = await sql<Newest>`
      select id, machine_id, started_at, ended_at, end_reason, games, wagered, wagered + net as won, cashed_out,
        greatest(0, floor(extract(epoch from coalesce(ended_at, now()) - started_at)))::bigint as seconds
      from play_session where player_id = ${playerId} order by started_at desc, id desc limit 1`.execute(trx);
    const { rows } = await sql<RecentPlay["recent"]>`
      select coalesce(sum(games), 0)::bigint as games, coalesce(sum(wagered), 0)::bigint as wagered, coalesce(sum(wagered + net), 0)::bigint as won
      from play_session where player_id = ${playerId} and started_at >= now() - make_interval(days => ${RECENT_DAYS})`.execute(
      trx,
    );
    const [last] = newest.rows;
    const recent = rows[0] ?? { games: 0, wagered: 0, won: 0 };
    if (last === undefined) return { last: null, recent };
    const nameOf = await machineNames(trx, [last.machine_id]);
    const { id, seconds, games, wagered, won, cashed_out: cameHome, end_reason: endedBy } = last;
    return {
      last: {
        ...{ id, seconds, games, wagered, won, cameHome, endedBy },
        machine: nameOf(last.machine_id),
        start: last.started_at.toISOString(),
        end: last.ended_at?.toISOString() ?? null,
      },
      recent,
    };
  });
}
