import type { CountedKind, LimitPeriod } from "@longarm/contract/player-protection";
import { LIMIT_PERIODS, PERIOD_HOURS } from "@longarm/contract/player-protection";
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { LimitsTables } from "../protection/limits/index.ts";
import { limitOf } from "../protection/limits/index.ts";
import { depositsOf } from "../records/history/index.ts";

/* What counts towards the limits of players (record 0201). All periods end now and move with it. */

type Db = Kysely<LimitsTables>;

/** A player's id, or the column of a query that holds it. */
type PlayerId = string | RawBuilder<unknown>;

/** So many hours before now, by the database's clock. */
const ago = (hours: number) => sql<Date>`clock_timestamp() - make_interval(hours => ${hours}::int)`;

const recent = (playerId: PlayerId, hours: number) =>
  sql`select id from play_session where player_id = ${playerId} and (ended_at is null or ended_at > ${ago(hours)})`;

/** A query of the moves that count now, each with the time from which it counts (`at`) and what it counts (`amount`). */
type Moves = (playerId: PlayerId, hours: number) => RawBuilder<unknown>;

/** What was put onto machines, also while its outcome is open. */
const putIn: Moves = (playerId, hours) => sql`
  select created_at as at, case when state = 'done' then amount else asked end as amount from machine_transfer
    where play_session_id in (${recent(playerId, hours)}) and direction = 'cashIn' and state <> 'refused' and created_at > ${ago(hours)}`;

/** Games count from their arrival: their own time comes from the agent, which may be late, or date one back. */
const games = (counts: RawBuilder<number>): Moves => {
  return (playerId, hours) => sql`
    select greatest(ended_at, taken_at) as at, ${counts} as amount from game
      where play_session_id in (${recent(playerId, hours)}) and greatest(ended_at, taken_at) > ${ago(hours)}`;
};

/** Money moves of each kind. Time is no list of moves: it passes. */
export const MOVES: Readonly<Record<Exclude<CountedKind, "time">, Moves>> = {
  deposit: (playerId, hours) => depositsOf(playerId, ago(hours)),
  cashIn: putIn,
  loss: games(sql<number>`stake - win`),
  wager: games(sql<number>`stake`),
};

/** Stays at machines that reach into the last hours, from when to when they count. */
export const staysOf: Moves = (playerId, hours) => sql`
  select greatest(started_at, ${ago(hours)}) as from_at, coalesce(ended_at, clock_timestamp()) as to_at from play_session
    where player_id = ${playerId} and (ended_at is null or ended_at > ${ago(hours)})`;

/** What counts now of one kind, by period. Minor units; of `time` minutes with their fractions. A loss below zero is a win. */
export type CountedNow = Readonly<Record<LimitPeriod, number>>;

const NONE: CountedNow = { day: 0, week: 0, month: 0 };

/** What counts now of one kind towards the limits of players, in one statement. `longest`: longer periods are not counted, and are 0. */
export async function countedNow(
  db: Db,
  kind: CountedKind,
  playerIds: readonly string[],
  longest: LimitPeriod = "month",
): Promise<(playerId: string) => CountedNow> {
  const wanted = LIMIT_PERIODS.slice(0, LIMIT_PERIODS.indexOf(longest) + 1);
  const sums = sql.join(wanted.map((period) => sql`${sumOf(kind, PERIOD_HOURS[period])} as ${sql.ref(period)}`));
  const id = sql.ref("wanted.id");
  const hours = PERIOD_HOURS[longest];
  const counted = kind === "time" ? staysOf(id, hours) : MOVES[kind](id, hours);
  const { rows } = await sql<Partial<CountedNow> & { readonly id: string }>`
    select wanted.id, sums.* from unnest(${[...playerIds]}::text[]) as wanted (id)
      cross join lateral (select ${sums} from (${counted}) counted) sums`.execute(db);
  const found = new Map(rows.map(({ id: playerId, ...sum }) => [playerId, { ...NONE, ...sum }]));
  return (playerId) => found.get(playerId) ?? NONE;
}

function sumOf(kind: CountedKind, hours: number): RawBuilder<number> {
  if (kind !== "time") return sql<number>`coalesce(sum(amount) filter (where at > ${ago(hours)}), 0)::bigint`;
  const seconds = sql`extract(epoch from to_at - greatest(from_at, ${ago(hours)}))`;
  return sql<number>`coalesce(sum(greatest(${seconds}, 0)) / 60, 0)::double precision`;
}

/** What a player could still lose of money that is on machines or on its way there, minor units. */
export async function atRiskOf(db: Db, playerId: string): Promise<number> {
  const { rows } = await sql<{ risk: number }>`select (
      coalesce((select sum(greatest(balance_minor, 0)) from seat s join ledger.accounts on address = 'machine:' || s.machine_id
        where s.player_id = ${playerId}), 0)
      + coalesce((select sum(asked) from machine_transfer
        where player_id = ${playerId} and direction = 'cashIn' and state in ('asking', 'unknown')), 0))::bigint as risk`.execute(
    db,
  );
  return rows[0]?.risk ?? 0;
}

/** For queries of other rooms: whether the player of the column `id` has reached a limit of player or operator now. */
export function isAtLimit(id: string): RawBuilder<boolean> {
  const player = sql.ref(id);
  const reached = (Object.keys(MOVES) as (keyof typeof MOVES)[]).flatMap((kind) =>
    LIMIT_PERIODS.map((period) => {
      const sum = sql`(select coalesce(sum(amount), 0) from (${MOVES[kind](player, PERIOD_HOURS[period])}) counted)`;
      // Only where there is a limit the moves are summed.
      return sql<boolean>`coalesce((select case when held is null then false else ${sum} >= held end
        from (select ${limitOf(id, kind, period)} as held offset 0) one), false)`;
    }),
  );
  return sql<boolean>`(${sql.join(reached, sql` or `)})`;
}

/**
 * When enough of the moves is older than their period, so that the others come to less than `limit`: the full minute after it, since the page
 * names no seconds. Null: never by time alone, because nothing is allowed or what could be lost is on the machine.
 */
export async function freesAt(
  db: Db,
  kind: CountedKind,
  { playerId, period, limit }: { readonly playerId: string; readonly period: LimitPeriod; readonly limit: number },
): Promise<Date | null> {
  const hours = PERIOD_HOURS[period];
  const times =
    kind === "time"
      ? sql`select to_at - make_interval(secs => greatest(0, ${limit}::double precision * 60 - newer)) as at, newer < ${limit}::double precision * 60 as few
          from (select to_at, coalesce(sum(extract(epoch from to_at - from_at)) over (order by to_at desc rows between unbounded preceding and 1 preceding), 0)::double precision as newer,
            extract(epoch from to_at - from_at)::double precision as length from (${staysOf(playerId, hours)}) stays) newest
          where newer + length >= ${limit}::double precision * 60`
      : sql`select at, coalesce(sum(amount) over (order by at desc groups between unbounded preceding and 1 preceding), 0) < ${limit} as few
          from (${MOVES[kind](playerId, hours)}) moves`;
  const { rows } = await sql<{ at: Date | null }>`
    select date_trunc('minute', min(at) + make_interval(hours => ${hours}::int, mins => 1)) as at from (${times}) counted where few`.execute(
    db,
  );
  return rows[0]?.at ?? null;
}
