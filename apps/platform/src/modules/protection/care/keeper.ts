import { runTransaction } from "@longarm/database/run-transaction";
import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Log } from "../../../log.ts";
import type { Random } from "../../../random.ts";
import type { RepeatedLook } from "../../../repeat-look.ts";
import { repeatLook } from "../../../repeat-look.ts";
import { playersWhoPlayed } from "../../play/played.ts";
import { isOnePerson } from "../../players/accounts/index.ts";
import { keepSigns } from "../cases/index.ts";
import type { MarketTables } from "../markets/index.ts";
import { rulesOfAll } from "../markets/index.ts";
import type { Figures } from "./measures.ts";
import { figuresOf, signsIn } from "./measures.ts";
import { forgetRefusals } from "./notes.ts";
import { factsOf, frameOf } from "./read-facts.ts";

/** Who has left a machine is looked at after this at the latest, ms. */
const LOOK_MS = 15_000;
/** Who plays on is looked at this often, minutes. */
const PLAYING_MIN = 10;
/** No player is looked at more often, s: who sits down and leaves all the time takes no turn of others. */
const AGAIN_S = 60;
/** Who left a machine longer ago was looked at then, or the platform was away for so long, hours. */
const BACK_HOURS = 24;
/** Players of one transaction. */
const AT_ONCE = 20;
/** Transactions of one look: the next look continues. */
const PAGES_OF_LOOK = 50;
/** Old refusals that one look deletes. */
const FORGOTTEN_AT_ONCE = 1_000;

export type CareDeps = {
  readonly db: AnyDb;
  readonly clock: Pick<Clock, "every">;
  readonly random: Random;
  readonly log: Pick<Log, "info" | "warn">;
  /** The venue's, by whose days and nights the measures count. */
  readonly timeZone: string;
};

/**
 * Looks at players in turn, on one node at a time: who was looked at longest ago is first, so one player's many play sessions keep no other waiting. What
 * was done is in the rows of the same transaction, so a node that dies leaves nothing half done.
 */
export function createCareKeeper(deps: CareDeps): RepeatedLook {
  const { db, clock, log } = deps;
  const failed = "signs of harm could not be looked for, the next look tries again";
  return repeatLook({ clock, log, everyMs: LOOK_MS, failed }, async (isClosed) => {
    let looked = 0;
    for (let pages = 0; pages < PAGES_OF_LOOK && !isClosed(); pages += 1) {
      const page = await lookAtSome(deps);
      looked += page;
      if (page < AT_ONCE) break;
    }
    await forgetRefusals(db, FORGOTTEN_AT_ONCE);
    return looked;
  });
}

/** Looks at a few players. @returns how many; 0 also while another node looks. */
async function lookAtSome({ db, random, log, timeZone }: CareDeps): Promise<number> {
  return await runTransaction(db, async (trx) => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('longarm care', 0)) as mine`.execute(trx);
    if (rows[0]?.mine !== true) return 0;
    const players = await playersDue(trx);
    for (const { playerId, signs } of await signsOfAll(trx, players, timeZone)) {
      const kept = await keepSigns(trx, random, playerId, signs);
      if (kept?.isNew === true) log.info({ playerId, case: kept.caseId }, "signs of harm opened a case");
    }
    await sql`insert into care_look (player_id, looked_at) select id, clock_timestamp() from unnest(${players}::text[]) as w (id)
      on conflict (player_id) do update set looked_at = excluded.looked_at`.execute(trx);
    return players.length;
  });
}

/** What is a sign of harm in what these players do, each by the rules of their own market. */
async function signsOfAll(db: AnyDb, playerIds: readonly string[], timeZone: string) {
  const rules = await rulesOfAll(
    db.withTables<MarketTables>(),
    playerIds.map((playerId) => ({ playerId })),
  );
  const figures = await figuresOfAll(db, playerIds, timeZone);
  return playerIds.flatMap((playerId, at) => {
    const [own, theirs] = [rules[at], figures.get(playerId)];
    return own === undefined || theirs === undefined ? [] : [{ playerId, signs: signsIn(theirs, own) }];
  });
}

/** What the measures of these players come to now. */
export async function figuresOfAll(
  db: AnyDb,
  playerIds: readonly string[],
  timeZone: string,
): Promise<ReadonlyMap<string, Figures>> {
  const frame = await frameOf(db, timeZone);
  const facts = await factsOf(db, playerIds);
  return new Map([...facts].map(([playerId, theirs]) => [playerId, figuresOf(theirs, frame)]));
}

/** Whose turn it is: who has played, or was refused, since they were looked at. */
async function playersDue(db: AnyDb): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select moved.player_id as id from (
      select player_id, playing, at from (${playersWhoPlayed(BACK_HOURS)}) played
      union all select player_id, false, max(at) from care_refusal where at > clock_timestamp() - make_interval(hours => ${BACK_HOURS}) group by player_id
    ) moved left join care_look l on l.player_id = moved.player_id
    where ${isOnePerson("moved.player_id")} group by moved.player_id having bool_or(l.looked_at is null
      or (l.looked_at < moved.at and l.looked_at < clock_timestamp() - case when moved.playing then make_interval(mins => ${PLAYING_MIN}) else make_interval(secs => ${AGAIN_S}) end))
    order by min(l.looked_at) nulls first, moved.player_id limit ${AT_ONCE}`.execute(db);
  return rows.map(({ id }) => id);
}
