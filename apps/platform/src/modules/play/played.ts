import type { RawBuilder } from "kysely";
import { sql } from "kysely";

/* What players did at machines, as query parts for the rooms that look after them. `id` is the player's column or id. */

type PlayerId = RawBuilder<unknown>;

const ago = (days: number) => sql<Date>`clock_timestamp() - make_interval(days => ${days}::int)`;

/** Players at machines (`playing`), and those who left one in the last hours, each with when that was (`at`). */
export function playersWhoPlayed(hours: number): RawBuilder<unknown> {
  return sql`select player_id, true as playing, clock_timestamp() as at from seat where player_id is not null
    union all select player_id, false, max(ended_at) from play_session
      where ended_at > clock_timestamp() - make_interval(hours => ${hours}::int) group by player_id`;
}

/** Games that were taken from then to then, `perMachine` of each machine (`machine_id`, `game_number`); which ones says the seed. */
export function someGames(
  { from, to }: { from: Date; to: Date },
  perMachine: number,
  seed: string,
): RawBuilder<unknown> {
  return sql`select machine_id, game_number from (
    select machine_id, game_number, row_number() over (partition by machine_id order by md5(${seed}::text || machine_id || ' ' || game_number)) as n
      from game where taken_at >= ${from} and taken_at < ${to} and play_session_id is not null) drawn where n <= ${perMachine}`;
}

/** Stays that reach into the last days, the newest first, at most `most`: `from`, `to`, and `net`, what was won less what was staked, minor units. */
export function staysSince(id: PlayerId, days: number, most: number): RawBuilder<unknown> {
  return sql`select s.id, s.started_at as "from", coalesce(s.ended_at, clock_timestamp()) as "to", s.net from play_session s
    where s.player_id = ${id} and (s.ended_at is null or s.ended_at > ${ago(days)}) order by s.started_at desc limit ${most}`;
}

/** Money that was put onto machines in the last days, the newest first, at most `most`: `at` and the `stay` that it was in. */
export function cashInsSince(id: PlayerId, days: number, most: number): RawBuilder<unknown> {
  return sql`select t.created_at as at, t.play_session_id as stay from machine_transfer t
    where t.play_session_id in (select s.id from play_session s where s.player_id = ${id} and (s.ended_at is null or s.ended_at > ${ago(days)})
      order by s.started_at desc limit ${most})
      and t.direction = 'cashIn' and t.state = 'done' and t.created_at > ${ago(days)} order by t.created_at desc limit ${most}`;
}

/**
 * Sums of games, minor units: `games` and `staked` of the last `days`, the same of the `before` days before them (`gamesBefore`, `stakedBefore`), and
 * what was `lost` in the last `lossDays`; below zero: won. At most `most` stays are counted, the newest first.
 */
export function gameSums(
  id: PlayerId,
  { days, before, lossDays, most }: { days: number; before: number; lossDays: number; most: number },
): RawBuilder<unknown> {
  const longest = Math.max(days + before, lossDays);
  const isIn = (from: number, to: number) => sql`(g.at > ${ago(from)} and g.at <= ${ago(to)})`;
  return sql`select count(*) filter (where ${isIn(days, 0)})::int as games, coalesce(sum(g.stake) filter (where ${isIn(days, 0)}), 0)::bigint as staked,
      count(*) filter (where ${isIn(days + before, days)})::int as "gamesBefore",
      coalesce(sum(g.stake) filter (where ${isIn(days + before, days)}), 0)::bigint as "stakedBefore",
      coalesce(sum(g.stake - g.win) filter (where ${isIn(lossDays, 0)}), 0)::bigint as lost
    from (select greatest(g.ended_at, g.taken_at) as at, g.stake, g.win from game g where g.play_session_id in (
      select s.id from play_session s where s.player_id = ${id} and (s.ended_at is null or s.ended_at > ${ago(longest)})
      order by s.started_at desc limit ${most})) g`;
}
