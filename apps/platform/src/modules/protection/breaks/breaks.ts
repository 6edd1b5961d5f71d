import type { BreakKind, PlayClosed } from "@longarm/contract/play-closed";
import type { BreakBody } from "@longarm/contract/player-breaks";
import { EXCLUSION_MONTHS, TIME_OUT_HOURS } from "@longarm/contract/player-breaks";
import type { Problem } from "@longarm/contract/problems";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Rules } from "../markets/index.ts";

type Db = AnyDb;

/** What keeps a player from play now, by a break of the player's or one that follows long play. */
export type OnBreak = {
  readonly playerId: string;
  readonly id: number;
  readonly kind: BreakKind;
  readonly from: Date;
  /** Its end; of an exclusion the time from which the player may ask for play again. */
  readonly until: Date;
  /** When play opens, once the player wants that. */
  readonly opensAt: Date | null;
  /** An exclusion whose end is past: it holds until play opens. */
  readonly isOver: boolean;
};

/** Of each of these players the break that lasts longest, of any account of the person; who is on none is not in it. */
export async function breaksOf(db: Db, playerIds: readonly string[]): Promise<ReadonlyMap<string, OnBreak>> {
  const { rows } = await sql<OnBreak>`
    select distinct on (wanted.id) wanted.id as "playerId", b.id, b.kind, b.from_at as "from", b.until, r.opens_at as "opensAt", b.until <= clock_timestamp() as "isOver"
    from unnest(${[...playerIds]}::text[]) as wanted (id) cross join lateral player_breaks_now(wanted.id) b
      left join player_reopening r on r.break_id = b.id
    order by wanted.id, b.kind = 'exclusion' desc, r.opens_at is null desc, b.until desc`.execute(db);
  return new Map(rows.map((row) => [row.playerId, row]));
}

/** The break of one player; undefined: none. */
export async function breakOf(db: Db, playerId: string): Promise<OnBreak | undefined> {
  return (await breaksOf(db, [playerId])).get(playerId);
}

/** A break as the wire says it. */
export function closedBy({ kind, from, until, opensAt, isOver }: OnBreak): PlayClosed {
  return {
    kind,
    from: from.toISOString(),
    until: until.toISOString(),
    ...(opensAt !== null && { opensAt: opensAt.toISOString() }),
    ...(kind === "exclusion" && isOver && { isOver }),
  };
}

/** What keeps a player from play now, as a sign-in reports it; null: nothing. */
export async function playClosedFor(db: Db, playerId: string): Promise<PlayClosed | null> {
  const onBreak = await breakOf(db, playerId);
  return onBreak === undefined ? null : closedBy(onBreak);
}

/** Why a player on a break may neither play nor put money in. Problems: player.on_break, player.excluded, player.closed. */
export function breakProblem({ kind, until, opensAt, isOver }: OnBreak): Problem {
  if (kind !== "exclusion") return { name: "player.on_break", params: { until: until.toISOString() } };
  if (opensAt !== null) return { name: "player.excluded", params: { until: opensAt.toISOString() } };
  if (isOver) return { name: "player.closed" };
  return { name: "player.excluded", params: { until: until.toISOString() } };
}

/** For queries of other rooms: whether the player of the column `id` is on a break now. */
export function isOnBreak(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from player_breaks_now(${sql.ref(id)}))`;
}

/** Players who have closed play, but for forced breaks; at most `most`. */
export async function playersOnBreak(db: Db, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct a.id from player_break b left join player_reopening r on r.break_id = b.id
      cross join lateral person_accounts(b.player_id) as a (id)
    where b.kind <> 'forced' and (b.until > clock_timestamp()
      or (b.kind = 'exclusion' and (r.opens_at is null or r.opens_at > clock_timestamp())))
    order by a.id limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

/** What a player may choose by the rules. */
export function lengthsBy({ timeOutHours, exclusionMonthsMin }: Rules): {
  readonly timeOutHours: readonly number[];
  readonly exclusionMonths: readonly number[];
} {
  return {
    timeOutHours: TIME_OUT_HOURS.filter((hours) => hours >= timeOutHours.least && hours <= timeOutHours.most),
    exclusionMonths: EXCLUSION_MONTHS.filter((months) => months >= exclusionMonthsMin),
  };
}

/** Hours of the panic key where the market prescribes none. */
const PANIC_HOURS = 24;
/** Never shorter than the shortest time-out of the market (13:69O-1.2(j) of New Jersey: 72 hours). */
export const panicHoursBy = ({ panicHours, timeOutHours }: Pick<Rules, "panicHours" | "timeOutHours">): number =>
  Math.max(panicHours ?? PANIC_HOURS, timeOutHours.least);

/** Begins a break at once. @returns the break that holds now, perhaps a longer one; undefined: the rules do not offer this length. */
export async function beginBreak(
  db: Db,
  rules: Rules,
  { playerId, wanted, by }: { readonly playerId: string; readonly wanted: BreakBody; readonly by: string },
): Promise<OnBreak | undefined> {
  const { timeOutHours, exclusionMonths } = lengthsBy(rules);
  if (wanted.kind === "timeOut" && !timeOutHours.includes(wanted.hours)) return undefined;
  if (wanted.kind === "exclusion" && !exclusionMonths.includes(wanted.months)) return undefined;
  const until =
    wanted.kind === "exclusion"
      ? sql<Date>`clock_timestamp() + make_interval(months => ${wanted.months})`
      : sql<Date>`clock_timestamp() + make_interval(hours => ${wanted.kind === "panic" ? panicHoursBy(rules) : wanted.hours})`;
  // A key that is pressed again and again adds no rows.
  await sql`insert into player_break (player_id, kind, until, set_by) select ${playerId}, ${wanted.kind}, ${until}, ${by}
    where not exists (select from player_breaks_now(${playerId}) b where b.kind = ${wanted.kind}
      and b.until >= ${until} - interval '1 minute')`.execute(db);
  return await breakOf(db, playerId);
}

/** Asks for play after an exclusion has ended; asking again changes nothing. @returns undefined: no exclusion of this player has ended. */
export async function reopen(db: Db, playerId: string): Promise<OnBreak | undefined> {
  const { rows } = await sql<object>`
    insert into player_reopening (break_id, opens_at)
      select b.id, clock_timestamp() + interval '24 hours' from player_breaks_now(${playerId}) b
        where b.kind = 'exclusion' and b.until <= clock_timestamp()
      on conflict (break_id) do nothing returning break_id`.execute(db);
  const now = await breakOf(db, playerId);
  return rows.length > 0 || (now?.opensAt ?? null) !== null ? now : undefined;
}

/** Play of a player that is too long for the market after `afterMin` minutes; a pause of `forMin`, or a forced break that is over, begins a new count. */
export type LongPlay = { readonly playerId: string; readonly afterMin: number; readonly forMin: number };

/**
 * Begins the break that follows long play, for those of these players who have played that long since their last pause of that length.
 * @returns the players whose break begins now.
 */
export async function forceBreaks(db: Db, plays: readonly LongPlay[]): Promise<string[]> {
  if (plays.length === 0) return [];
  const { rows } = await sql<{ playerId: string }>`
    with wanted as (select * from jsonb_to_recordset(${JSON.stringify(plays)}::jsonb) as w ("playerId" text, "afterMin" int, "forMin" int)),
    played as (
      select w.*, s.started_at, coalesce(s.ended_at, clock_timestamp()) as ended_at,
        lag(coalesce(s.ended_at, clock_timestamp())) over (partition by w."playerId" order by s.started_at) as before
      from wanted w join play_session s on s.player_id = w."playerId"
        and coalesce(s.ended_at, clock_timestamp()) > clock_timestamp() - interval '2 days'),
    stretches as (
      select *, count(*) filter (where before is null or started_at - before >= make_interval(mins => "forMin")
          or exists (select from player_break b where b.player_id = "playerId" and b.kind = 'forced'
            and b.until > before - make_interval(mins => "forMin") and b.until <= started_at))
        over (partition by "playerId" order by started_at) as stretch from played),
    now_playing as (
      select "playerId", max("afterMin") as "afterMin", max("forMin") as "forMin",
        extract(epoch from sum(ended_at - started_at)) / 60 as minutes
      from stretches st where stretch = (select max(stretch) from stretches o where o."playerId" = st."playerId") group by "playerId")
    insert into player_break (player_id, kind, until, set_by)
      select "playerId", 'forced', clock_timestamp() + make_interval(mins => "forMin"), 'platform' from now_playing p
      where minutes >= "afterMin" and not exists (select from player_breaks_now(p."playerId"))
      returning player_id as "playerId"`.execute(db);
  return rows.map(({ playerId }) => playerId);
}
