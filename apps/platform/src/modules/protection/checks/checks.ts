import type { CheckMinutes } from "@longarm/contract/player-protection";
import type { ColumnType, Generated, Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { Rules } from "../markets/index.ts";

/** How a reality check ended. `none`: the player did not answer in time. */
export type CheckAnswer = "continue" | "leave" | "none";

/** `migrations/protection`: choices are only added; a check is answered once. Amounts in minor units. */
export type CheckTables = {
  reality_check_choice: {
    id: Generated<number>;
    player_id: string;
    minutes: number | null;
    chosen_at: ColumnType<Date, never, never>;
  };
  reality_check: {
    id: string;
    player_id: string;
    play_session_id: string;
    shown_at: ColumnType<Date, never, RawBuilder<Date>>;
    played_ms: number;
    games: number;
    wagered: number;
    won: number;
    answered_at: ColumnType<Date | null, never, RawBuilder<Date>>;
    answer: CheckAnswer | null;
  };
};
/** What of a database the functions use: of whatever tables beside these. */
type Db = Pick<Kysely<CheckTables>, "selectFrom" | "updateTable" | "insertInto" | "getExecutor">;

/** What a check shows: time at machines, ms, and what was played in it, minor units. */
type CheckFigures = {
  readonly playedMs: number;
  readonly games: number;
  readonly wagered: number;
  readonly won: number;
};

/** A check that waits for its answer. */
export type OpenCheck = CheckFigures & {
  readonly id: string;
  readonly playSessionId: string;
  readonly shownAt: Date;
  /** For how long it has been shown, ms. */
  readonly ageMs: number;
};

/** What is known of a player's checks. */
type ChecksOfPlayer = {
  /** The player's own choice, minutes; null: never; undefined: none was made. */
  readonly chosen: CheckMinutes | null | undefined;
  /** Time at machines counts from here on: the last answer, at most `COUNTED_HOURS` ago. */
  readonly since: Date;
  readonly open: OpenCheck | null;
};

/** Time at machines that is older counts no more, hours: a player who comes back on another day begins anew. */
const COUNTED_HOURS = 24;

/** The checks of these players, in one look. */
export async function checksOfAll(
  db: Db,
  playerIds: readonly string[],
): Promise<(playerId: string) => ChecksOfPlayer | undefined> {
  const { rows } = await sql<{
    playerId: string;
    hasChosen: boolean;
    minutes: CheckMinutes | null;
    since: Date;
    open: (Omit<OpenCheck, "shownAt"> & { readonly shownAt: string }) | null;
  }>`
    select p.id as "playerId", c.id is not null as "hasChosen", c.minutes,
      greatest(clock_timestamp() - make_interval(hours => ${COUNTED_HOURS}),
        (select max(a.answered_at) from reality_check a where a.player_id = p.id and a.answered_at is not null)) as since,
      case when o.id is not null then jsonb_build_object('id', o.id, 'playSessionId', o.play_session_id, 'shownAt', o.shown_at,
        'ageMs', extract(epoch from clock_timestamp() - o.shown_at) * 1000,
        'playedMs', o.played_ms, 'games', o.games, 'wagered', o.wagered, 'won', o.won) end as open
    from unnest(${[...playerIds]}::text[]) p(id)
      left join lateral (select id, minutes from reality_check_choice where player_id = p.id order by id desc limit 1) c on true
      left join reality_check o on o.player_id = p.id and o.answered_at is null`.execute(db);
  const found = new Map(
    rows.map(({ playerId, hasChosen, minutes, since, open }) => [
      playerId,
      {
        chosen: hasChosen ? minutes : undefined,
        since,
        open: open === null ? null : { ...open, shownAt: new Date(open.shownAt) },
      },
    ]),
  );
  return (playerId) => found.get(playerId);
}

/** After how many minutes at machines the next check comes; null: none does. The player's choice holds as far as the market lets it. Source: RTS 13B. */
export function checkEvery(
  { realityCheckMin: longest, realityCheckMayBeOff: mayBeOff }: Rules,
  chosen: ChecksOfPlayer["chosen"],
): number | null {
  if (chosen === undefined || (chosen === null && !mayBeOff)) return longest;
  if (chosen === null || longest === null) return chosen;
  return Math.min(chosen, longest);
}

/** Whether the market lets the player choose this. */
export function mayChoose(
  { realityCheckMin: longest, realityCheckMayBeOff: mayBeOff }: Rules,
  minutes: CheckMinutes | null,
): boolean {
  return minutes === null ? mayBeOff : longest === null || minutes <= longest;
}

/** Changes of the interval that are kept in an hour. */
const CHOICES_PER_HOUR = 20;

/** Keeps a player's choice. False: there were too many of them in this hour. */
export async function chooseCheck(db: Db, playerId: string, minutes: CheckMinutes | null): Promise<boolean> {
  const { rows } = await sql`
    insert into reality_check_choice (player_id, minutes) select ${playerId}, ${minutes}
    where (select count(*) from reality_check_choice where player_id = ${playerId}
      and chosen_at > clock_timestamp() - interval '1 hour') < ${CHOICES_PER_HOUR} returning id`.execute(db);
  return rows.length === 1;
}

/** Shows a check, or the one that waits anew at this seat. Call it under the seat's lock. */
export async function openCheck(
  db: Db,
  { id, playerId, playSessionId }: { readonly id: string; readonly playerId: string; readonly playSessionId: string },
  { playedMs, games, wagered, won }: CheckFigures,
): Promise<void> {
  const figures = { played_ms: Math.floor(playedMs), games, wagered, won };
  await db
    .insertInto("reality_check")
    .values({ id, player_id: playerId, play_session_id: playSessionId, ...figures })
    .onConflict((conflict) =>
      conflict
        .column("player_id")
        .where("answered_at", "is", null)
        .doUpdateSet({ play_session_id: playSessionId, shown_at: databaseNow(), ...figures }),
    )
    .execute();
}

/** Answers the check of this id that waits for this player. True also where it has this answer already: the first one may have been lost. */
export async function answerCheck(db: Db, id: string, playerId: string, answer: CheckAnswer): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("reality_check")
    .set({ answered_at: databaseNow(), answer })
    .where("id", "=", id)
    .where("player_id", "=", playerId)
    .where("answered_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  const before = await db
    .selectFrom("reality_check")
    .select("answer")
    .where("id", "=", id)
    .where("player_id", "=", playerId)
    .executeTakeFirst();
  return before?.answer === answer;
}

/** Answers whichever check waits for the player, as the end of a play session does. */
export async function answerOpenCheck(db: Db, playerId: string, answer: CheckAnswer): Promise<void> {
  await db
    .updateTable("reality_check")
    .set({ answered_at: databaseNow(), answer })
    .where("player_id", "=", playerId)
    .where("answered_at", "is", null)
    .execute();
}

/** For queries of other rooms: whether a check waits for the player of this column or query. */
export function isChecked(player: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from reality_check where player_id = ${player} and answered_at is null)`;
}
