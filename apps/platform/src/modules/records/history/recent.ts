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
    const today = await readToday(trx, playerId);
    if (last === undefined) return { last: null, recent, today };
    const nameOf = await machineNames(trx, [last.machine_id]);
    const { id, seconds, games, wagered, won, cashed_out: cameHome, end_reason: endedBy } = last;
    return {
      last: {
        ...{ id, seconds, games, wagered, won, cameHome, endedBy },
        machine: nameOf(last.machine_id),
        start: last.started_at.toISOString(),
        end: last.ended_at?.toISOString() ?? null,
      },
      ...{ recent, today },
    };
  });
}

/** What was played since midnight at the venue. Of a play session that began before, its games since then count. */
async function readToday(db: HistoryDb, playerId: string): Promise<NonNullable<RecentPlay["today"]>> {
  const { rows } = await sql<NonNullable<RecentPlay["today"]>>`
    with day as (select venue_day(now())::timestamp at time zone time_zone as midnight from business_day_rule),
      played as (select s.id, s.started_at, s.ended_at, s.wagered, s.wagered + s.net as won, s.started_at >= midnight as is_whole, midnight
        from play_session s, day where s.player_id = ${playerId} and s.started_at > midnight - interval '3 days' and coalesce(s.ended_at, now()) > midnight)
    select coalesce(floor(sum(extract(epoch from coalesce(ended_at, now()) - greatest(started_at, midnight)))), 0)::bigint as seconds,
      coalesce(sum(case when is_whole then played.wagered else late.wagered end), 0)::bigint as wagered,
      coalesce(sum(case when is_whole then played.won else late.won end), 0)::bigint as won
    from played left join lateral (select sum(g.stake) as wagered, sum(g.win) as won from game g
      where not is_whole and g.play_session_id = played.id and g.ended_at >= midnight) late on true`.execute(db);
  return rows[0] ?? { seconds: 0, wagered: 0, won: 0 };
}
