import type { Problem } from "@longarm/contract/problems";
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { Limits, LimitsTables } from "../protection/limits/index.ts";
import { COUNTED_HOURS, limitOf, limitsOf } from "../protection/limits/index.ts";

/** What a player put in and lost in the last day, minor units. A loss below zero is a win. */
type Counted = { readonly cashIn: number; readonly loss: number };

const since = sql<Date>`clock_timestamp() - make_interval(hours => ${COUNTED_HOURS})`;

type Db = Kysely<LimitsTables>;

/** A player's id, or the column of a query that holds it. */
type PlayerId = string | RawBuilder<unknown>;

const recent = (playerId: PlayerId) =>
  sql`select id from play_session where player_id = ${playerId} and (ended_at is null or ended_at > ${since})`;

/** The moves that count now, each with the time from which it counts: what was put onto machines. */
const putIn = (playerId: PlayerId) => sql`
  select created_at as at, case when state = 'done' then amount else asked end as amount from machine_transfer
    where play_session_id in (${recent(playerId)}) and direction = 'cashIn' and state <> 'refused' and created_at > ${since}`;

/** What each game lost. Its own time comes from the agent: a game that arrives late, or is dated back, counts from its arrival. */
const lost = (playerId: PlayerId) => sql`
  select greatest(ended_at, taken_at) as at, stake - win as amount from game
    where play_session_id in (${recent(playerId)}) and greatest(ended_at, taken_at) > ${since}`;

/** What counts towards a player's limits now. */
export async function countedOf(db: Db, playerId: string): Promise<Counted> {
  const { rows } = await sql<Counted>`
    select (select coalesce(sum(amount), 0)::bigint from (${putIn(playerId)}) counted) as "cashIn",
      (select coalesce(sum(amount), 0)::bigint from (${lost(playerId)}) counted) as "loss"`.execute(db);
  return rows[0] ?? { cashIn: 0, loss: 0 };
}

/** For queries of other rooms: whether the player of the column `id` has put in or lost as much as a limit lets them now. */
export function isAtLimit(id: string): RawBuilder<boolean> {
  const player = sql.ref(id);
  const sumOf = (moves: RawBuilder<unknown>) => sql`(select coalesce(sum(amount), 0) from (${moves}) counted)`;
  return sql<boolean>`(coalesce(${sumOf(putIn(player))} >= ${limitOf(id, "cashIn")}, false)
    or coalesce(${sumOf(lost(player))} >= ${limitOf(id, "loss")}, false))`;
}

/**
 * When enough of the moves is older than what counts, so that the others come to less than the limit: the full minute after it, since the
 * page names no seconds. Null: never by time alone, because nothing may be put in or what could be lost is on the machine.
 */
async function freesAt(db: Db, moves: RawBuilder<unknown>, limit: number): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select date_trunc('minute', min(at) + make_interval(hours => ${COUNTED_HOURS}, mins => 1)) as at from (
      select at, coalesce(sum(amount) over (order by at desc groups between unbounded preceding and 1 preceding), 0) as newer
        from (${moves}) counted
    ) counted where newer < ${limit}`.execute(db);
  return rows[0]?.at ?? null;
}

/** Why a player may not begin to play; null: nothing keeps them. Problems: player.excluded, limit.loss. */
export async function sitProblem(db: Db, playerId: string): Promise<Problem | null> {
  const limits = await limitsOf(db, playerId);
  if (limits.exclusion !== null) return excluded(limits.exclusion);
  if (limits.loss === null) return null;
  const { loss } = await countedOf(db, playerId);
  if (loss < limits.loss) return null;
  return atMost("limit.loss", 0, () => freesAt(db, lost(playerId), limits.loss ?? 0));
}

/**
 * Why money may not go onto a machine; null: it may. `credit`: what is on the machine already, minor units. All that could be lost counts,
 * so that a loss never comes to more than its limit. Problems: player.excluded, limit.cash_in, limit.loss.
 */
export async function cashInProblem(
  db: Db,
  playerId: string,
  { amount, credit }: { readonly amount: number; readonly credit: number },
): Promise<Problem | null> {
  const limits: Limits = await limitsOf(db, playerId);
  if (limits.exclusion !== null) return excluded(limits.exclusion);
  if (limits.cashIn === null && limits.loss === null) return null;
  const counted = await countedOf(db, playerId);
  const left = limits.cashIn === null ? Number.POSITIVE_INFINITY : limits.cashIn - counted.cashIn;
  if (amount > left) return await atMost("limit.cash_in", left, () => freesAt(db, putIn(playerId), limits.cashIn ?? 0));
  const mayLose = limits.loss === null ? Number.POSITIVE_INFINITY : limits.loss - counted.loss - credit;
  if (amount <= mayLose) return null;
  return await atMost("limit.loss", mayLose, () => freesAt(db, lost(playerId), (limits.loss ?? 0) - credit));
}

/** `left` in minor units, for the page to write; where that is nothing, `until` says from when on there is something again. */
async function atMost(
  name: "limit.cash_in" | "limit.loss",
  left: number,
  frees: () => Promise<Date | null>,
): Promise<Problem> {
  if (left > 0) return { name, params: { left } };
  const until = await frees();
  return { name, params: { left: 0, ...(until !== null && { until: until.toISOString() }) } };
}

function excluded(until: number): Problem {
  return { name: "player.excluded", params: { until: new Date(until).toISOString() } };
}
