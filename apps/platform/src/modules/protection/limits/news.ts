import type { LimitPeriod } from "@longarm/contract/player-protection";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { LimitKind } from "./limits.ts";
import { stillWaits } from "./limits.ts";

/** How long a limit that has begun is news, days. */
const NEWS_DAYS = 90;

/** The player's own looser limits that begin by themselves, have begun, hold as long as no newer one does, and were not read of. */
const begun = (playerId: string): RawBuilder<unknown> => sql`
  select l.id, l.kind, l.period, l.value, l.effective_at from player_limit l left join player_limit_answer a on a.limit_id = l.id
  where l.player_id = ${playerId} and l.owner = 'player' and l.kind <> 'exclusion' and not l.asks_again and a.answer is null
    and l.effective_at > l.set_at + interval '1 minute'
    and l.effective_at between clock_timestamp() - make_interval(days => ${NEWS_DAYS}) and clock_timestamp()
    and not exists (select from player_limit n where n.player_id = l.player_id and n.owner = 'player' and n.kind = l.kind and n.period = l.period and n.id > l.id)
    and not exists (select from limit_news_read r where r.limit_id = l.id)`;

/** A looser limit that holds since `from`, which the player has not read of. */
export type BegunLimit = {
  readonly id: number;
  readonly kind: LimitKind;
  readonly period: LimitPeriod;
  readonly value: number | null;
  readonly from: Date;
};

export async function begunLimits(db: AnyDb, playerId: string): Promise<BegunLimit[]> {
  const { rows } = await sql<BegunLimit>`
    select id, kind, period, value, effective_at as "from" from (${begun(playerId)}) news order by id limit 20`.execute(
    db,
  );
  return rows;
}

/** When there is, or was, news of the player's looser limits: one has begun, or waits for the player's yes; null: nothing waits. */
export async function newsAt(db: AnyDb, playerId: string): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select least((select min(effective_at) from (${begun(playerId)}) news),
      (select min(l.effective_at) from player_limit l left join player_limit_answer a on a.limit_id = l.id
        where l.player_id = ${playerId} and l.owner = 'player' and l.kind <> 'exclusion' and a.answer is null
          and l.effective_at > l.set_at + interval '1 minute' and ${stillWaits})) as at`.execute(db);
  return rows[0]?.at ?? null;
}

/** The player has read that a looser limit holds; again changes nothing. */
export async function readNews(db: AnyDb, playerId: string, id: number): Promise<void> {
  await sql`insert into limit_news_read (limit_id) select id from (${begun(playerId)}) news where id = ${id} on conflict do nothing`.execute(
    db,
  );
}
