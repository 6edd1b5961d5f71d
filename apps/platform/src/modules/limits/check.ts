import type { Problem } from "@longarm/contract/problems";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Limits } from "./limits.ts";
import { COUNTED_HOURS, limitsOf } from "./limits.ts";
import type { LimitsTables } from "./tables.ts";

type Db = Kysely<LimitsTables>;

/** What a player put in and lost in the last day, minor units. A loss below zero is a win. */
type Counted = { readonly cashIn: number; readonly loss: number };

const since = sql<Date>`clock_timestamp() - make_interval(hours => ${COUNTED_HOURS})`;

/** A game's own time is the agent's word: one that is told late, or dated back, counts from when it was told. */
async function countedOf(db: Db, playerId: string): Promise<Counted> {
  const { rows } = await sql<Counted>`
    with recent as (select id from play_session where player_id = ${playerId} and (ended_at is null or ended_at > ${since}))
    select
      (select coalesce(sum(case when t.state = 'done' then t.amount else t.asked end), 0)::bigint from machine_transfer t
        where t.play_session_id in (select id from recent) and t.direction = 'cashIn' and t.state <> 'refused'
          and t.created_at > ${since}) as "cashIn",
      (select coalesce(sum(g.stake - g.win), 0)::bigint from game g
        where g.play_session_id in (select id from recent) and greatest(g.ended_at, g.taken_at) > ${since}) as "loss"`.execute(
    db,
  );
  return rows[0] ?? { cashIn: 0, loss: 0 };
}

/** Why a player may not begin to play; null: nothing keeps them. Problems: player.excluded, limit.loss. */
export async function sitProblem(db: Db, playerId: string): Promise<Problem | null> {
  const limits = await limitsOf(db, playerId);
  if (limits.exclusion !== null) return excluded(limits.exclusion);
  if (limits.loss === null) return null;
  const { loss } = await countedOf(db, playerId);
  return loss >= limits.loss ? atMost("limit.loss", 0) : null;
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
  if (amount > left) return atMost("limit.cash_in", left);
  const mayLose = limits.loss === null ? Number.POSITIVE_INFINITY : limits.loss - counted.loss - credit;
  return amount > mayLose ? atMost("limit.loss", mayLose) : null;
}

/** `left` in minor units, for the page to write. */
function atMost(name: "limit.cash_in" | "limit.loss", left: number): Problem {
  return { name, params: { left: Math.max(0, left) } };
}

function excluded(until: number): Problem {
  return { name: "player.excluded", params: { until: new Date(until).toISOString() } };
}
