import { databaseTime } from "@longarm/database/clock";
import { runTransaction } from "@longarm/database/run-transaction";
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { Rules } from "../markets/index.ts";
import { rulesOf } from "../markets/index.ts";
import type { LimitAnswer, LimitKind, LimitOwner, LimitsTables, Standing } from "./limits.ts";
import { standingLimits, stillWaits } from "./limits.ts";

/* How limits change: stricter at once, looser after a wait and, where the market says so, only with the player's yes after it (record 0201). */

/** What staff reads who would make an own limit of a player looser: its wait protects the player from a moment, and from being talked into it. */
export const OWN_LIMIT = "Only the player can make it looser, on the page of limits.";
/** How long an exclusion that is shortened still holds, ms (GLI-19 A.3.7: at least 24 hours). */
export const RELAX_AFTER_MS = 86_400_000;

type Db = Kysely<LimitsTables>;

export type SetLimit = {
  readonly playerId: string;
  readonly kind: LimitKind;
  /** Absent: `day`. */
  readonly period?: Standing["period"];
  readonly owner: LimitOwner;
  readonly value: number | null;
  /** Who sets it, 1 to 100 characters: a name of staff, or `player:` and the id. */
  readonly by: string;
  /** The venue's, in which weeks and months end. Absent: UTC. */
  readonly timeZone?: string;
};

/** Whether a limit would let the player do more than the one before it. */
export function isRelaxed(kind: LimitKind, before: number | null, after: number | null): boolean {
  if (before === null) return false;
  if (after === null) return true;
  return kind === "exclusion" ? after < before : after > before;
}

/** When a limit would hold from: at once, or later when it relaxes what holds now. An exclusion that is over limits nothing. */
export async function holdsFrom(db: Db, order: SetLimit): Promise<"now" | "later"> {
  const { playerId, kind, period = "day", owner, value } = order;
  const now = (await standingLimits(db, playerId)).find(
    (one) => one.holds && one.kind === kind && one.period === period && one.owner === owner,
  );
  const before = now?.value ?? null;
  const isOver = kind === "exclusion" && before !== null && before <= (await databaseTime(db)).getTime();
  return isRelaxed(kind, isOver ? null : before, value) ? "later" : "now";
}

/** From when on a limit holds, and whether it needs the player's yes then. */
export type HoldsFrom = { readonly from: Date; readonly asksAgain: boolean };

/** How a looser limit would have to wait if it were requested now. */
export async function waitOf(
  db: Db,
  order: Pick<SetLimit, "playerId" | "kind" | "period" | "owner" | "timeZone">,
): Promise<HoldsFrom> {
  const wait = laterBy(order, await rulesOf(db, order));
  const { rows } = await sql<{ from: Date }>`select ${wait.at} as "from"`.execute(db);
  return { from: rows[0]?.from ?? new Date(0), asksAgain: wait.asksAgain };
}

type Wait = { readonly at: RawBuilder<Date>; readonly asksAgain: boolean };

function laterBy(
  { kind, period = "day", owner, timeZone = "UTC" }: Pick<SetLimit, "kind" | "period" | "owner" | "timeZone">,
  rules: Pick<Rules, "looserAfterHours" | "looserAfterPeriod" | "looserAskAgain">,
): Wait {
  if (kind === "exclusion")
    return { at: sql<Date>`clock_timestamp() + make_interval(secs => ${RELAX_AFTER_MS / 1_000})`, asksAgain: false };
  const hours = sql<Date>`clock_timestamp() + make_interval(hours => ${rules.looserAfterHours}::int)`;
  const at =
    rules.looserAfterPeriod && period !== "day"
      ? sql<Date>`greatest(${hours}, (date_trunc(${period}, clock_timestamp() at time zone ${timeZone}) + ${`1 ${period}`}::interval) at time zone ${timeZone})`
      : hours;
  // The operator's own limit needs no yes of the player.
  return { at, asksAgain: rules.looserAskAgain && owner === "player" };
}

/**
 * Sets a limit: at once when it is stricter or equal, else after the market's wait. It takes the place of one that still waits. Answers from when on
 * it holds.
 */
export async function setLimit(db: Db, order: SetLimit): Promise<HoldsFrom> {
  return await oneAtATime(db, order.playerId, async (trx) => {
    const { playerId, kind, period = "day", owner, value, by } = order;
    const isLater = (await holdsFrom(trx, order)) === "later";
    const wait: Wait = isLater
      ? laterBy(order, await rulesOf(trx, { playerId }))
      : { at: databaseNow(), asksAgain: false };
    const { id, effective_at: from } = await trx
      .insertInto("player_limit")
      .values({
        player_id: playerId,
        kind,
        period,
        owner,
        value,
        effective_at: wait.at,
        asks_again: wait.asksAgain,
        set_by: by,
      })
      .returning(["id", "effective_at"])
      .executeTakeFirstOrThrow();
    // An exclusion that is to end later ends as its own row says: no answer changes it.
    if (kind !== "exclusion")
      await sql`insert into player_limit_answer (limit_id, answer, answered_by)
        select l.id, 'replaced', ${by} from player_limit l left join player_limit_answer a on a.limit_id = l.id
          where l.player_id = ${playerId} and l.kind = ${kind} and l.period = ${period} and l.owner = ${owner} and l.id < ${id} and ${stillWaits}`.execute(
        trx,
      );
    return { from, asksAgain: wait.asksAgain };
  });
}

/** Changes of one player's limits, and what is counted against them, come one after the other until the transaction ends. */
export async function lockLimits(trx: Kysely<LimitsTables>, playerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LIMITS_LOCK}::int, hashtext(${playerId}))`.execute(trx);
}
const LIMITS_LOCK = 1_953;

async function oneAtATime<T>(db: Db, playerId: string, work: (trx: Db) => Promise<T>): Promise<T> {
  const run = async (trx: Db) => {
    await lockLimits(trx, playerId);
    return await work(trx);
  };
  return db.isTransaction ? await run(db) : await runTransaction(db, run);
}

export type AnswerOrder = {
  readonly playerId: string;
  /** Of the limit that waits. */
  readonly id: number;
  readonly by: string;
};

/** The player takes a looser limit back before it holds. False: it does not wait any more. */
export async function takeLimitBack(db: Db, order: AnswerOrder): Promise<boolean> {
  return await answer(db, order, "takenBack", stillWaits);
}

/** The player says after the wait whether the looser limit is still wanted. False: it does not wait for that, or not yet, or not any more. */
export async function answerLimit(db: Db, order: AnswerOrder, wanted: boolean): Promise<boolean> {
  const isDue = sql<boolean>`(l.asks_again and l.effective_at <= clock_timestamp() and ${stillWaits})`;
  return await answer(db, order, wanted ? "yes" : "no", isDue);
}

/** The same answer again is no other one: its sender did not receive the first reply. */
async function answer(
  db: Db,
  { playerId, id, by }: AnswerOrder,
  said: LimitAnswer,
  mayAnswer: RawBuilder<boolean>,
): Promise<boolean> {
  return await oneAtATime(db, playerId, async (trx) => {
    await sql`insert into player_limit_answer (limit_id, answer, answered_by)
      select l.id, ${said}, ${by} from player_limit l left join player_limit_answer a on a.limit_id = l.id
        where l.id = ${id} and l.player_id = ${playerId} and l.owner = 'player' and l.kind <> 'exclusion' and ${mayAnswer}`.execute(
      trx,
    );
    const { rows } = await sql<object>`select from player_limit_answer a join player_limit l on l.id = a.limit_id
      where l.id = ${id} and l.player_id = ${playerId} and l.owner = 'player' and a.answer = ${said}`.execute(trx);
    return rows.length > 0;
  });
}

/** How many looser limits the player has requested within a day. */
export async function looserWishesOf(db: Db, playerId: string): Promise<number> {
  const { rows } = await sql<{ wishes: number }>`select count(*)::int as wishes from player_limit
    where player_id = ${playerId} and owner = 'player' and set_at > clock_timestamp() - interval '1 day'
      and effective_at > set_at + interval '1 minute'`.execute(db);
  return rows[0]?.wishes ?? 0;
}

/** For queries of other rooms: how many looser limits the player of the column `id` has requested within so many days, also those that were taken back. */
export function looserWishes(id: string, days: number): RawBuilder<number> {
  return sql<number>`(select count(*)::int from player_limit l where l.player_id = ${sql.ref(id)} and l.owner = 'player'
    and l.set_at > clock_timestamp() - make_interval(days => ${days}::int) and l.effective_at > l.set_at + interval '1 minute')`;
}
