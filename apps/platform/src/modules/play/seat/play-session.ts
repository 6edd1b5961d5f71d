import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { EndReason, PlayTables, PlayTransaction } from "../tables.ts";

/* The table `play_session`: one player on one machine from sitting down to the end. Only these functions write it, under the seat's lock. */

export type NewPlaySession = { readonly id: string; readonly machineId: string; readonly playerId: string };

export async function beginPlaySession(
  trx: PlayTransaction,
  { id, machineId, playerId }: NewPlaySession,
): Promise<void> {
  await trx.insertInto("play_session").values({ id, machine_id: machineId, player_id: playerId }).execute();
}

export async function endPlaySession(trx: PlayTransaction, id: string | null, reason: EndReason): Promise<void> {
  await trx
    .updateTable("play_session")
    .set({ ended_at: databaseNow(), end_reason: reason })
    .where("id", "=", id)
    .execute();
}

/** What the games of a play session came to so far, minor units. */
export type PlayedSums = { readonly games: number; readonly wagered: number; readonly won: number };

/**
 * A game was booked: what the play session came to with it. Amounts in minor units. Once a machine does not say the free spins of one, those of the
 * play session are unknown.
 */
export async function addGame(
  trx: PlayTransaction,
  id: string,
  { stake, win, freeSpins }: { readonly stake: number; readonly win: number; readonly freeSpins?: number | undefined },
): Promise<PlayedSums> {
  const { games, wagered, net } = await trx
    .updateTable("play_session")
    .set((eb) => ({
      net: eb("net", "+", win - stake),
      wagered: eb("wagered", "+", stake),
      games: eb("games", "+", 1),
      free_spins: eb("free_spins", "+", freeSpins ?? null),
    }))
    .where("id", "=", id)
    .returning(["games", "wagered", "net"])
    .executeTakeFirstOrThrow();
  return { games, wagered, won: wagered + net };
}

/** Money went between wallet and machine, minor units. */
export async function addTransfer(
  trx: PlayTransaction,
  id: string,
  direction: "cashIn" | "cashOut",
  amount: number,
): Promise<void> {
  const column = direction === "cashIn" ? "cashed_in" : "cashed_out";
  await trx
    .updateTable("play_session")
    .set((eb) => ({ [column]: eb(column, "+", amount) }))
    .where("id", "=", id)
    .execute();
}

/** What all ended play sessions of a player have cost, minor units; below zero: won. A game that was reported late is in it too. */
export async function netLossOf(db: Pick<Kysely<PlayTables>, "selectFrom">, playerId: string): Promise<number> {
  const { loss } = await db
    .selectFrom("play_session")
    .select(sql<number>`coalesce(-sum(net), 0)::bigint`.as("loss"))
    .where("player_id", "=", playerId)
    .where("ended_at", "is not", null)
    .executeTakeFirstOrThrow();
  return loss;
}

export type PlayedIn = { readonly from: string; readonly until: string; readonly brand?: string | undefined };

/** For queries of other rooms: whether the player of the column `id` finished a game in a play session that began in this time, on a machine of this brand. */
export function hasPlayed(id: string, { from, until, brand }: PlayedIn): RawBuilder<boolean> {
  return sql<boolean>`exists (select from play_session s join machine m on m.id = s.machine_id where s.player_id = ${sql.ref(id)} and s.games > 0
    and s.started_at >= ${from} and s.started_at < ${until} and (${brand ?? null}::text is null or m.facts ->> 'brand' = ${brand ?? null}))`;
}

/** A player at a machine, and from when on time counts. */
export type Counting = { readonly playerId: string; readonly playSessionId: string; readonly since: Date };

/** How long a player was at machines. */
export type TimePlayed = {
  /** Since the moment that was given, ms. */
  readonly countedMs: number;
  /** Since `from`, ms. */
  readonly playedMs: number;
  /** The moment that was given, or the beginning of the play session where that is longer ago. */
  readonly from: Date;
};

/** A play session that began so long before the moment is over by then, days. */
const SESSION_DAYS_MAX = 8;

/** How long these players were at machines, whatever machines, in one look. */
export async function timePlayed(
  db: Pick<Kysely<PlayTables>, "selectFrom">,
  counting: readonly Counting[],
): Promise<(playerId: string) => TimePlayed | undefined> {
  if (counting.length === 0) return () => undefined;
  const players = counting.map(({ playerId }) => playerId);
  const sessions = counting.map(({ playSessionId }) => playSessionId);
  const moments = counting.map(({ since }) => since.toISOString());
  const since = (column: "since" | "shown_from") =>
    sql`sum(greatest(0, extract(epoch from coalesce(s.ended_at, clock_timestamp()) - greatest(s.started_at, ${sql.ref(column)})))) * 1000`;
  const { rows } = await sql<TimePlayed & { readonly playerId: string }>`
    with counted as (
      select w.id, w.since, least(w.since, s.started_at) as shown_from
      from unnest(${players}::text[], ${sessions}::text[], ${moments}::timestamptz[]) w(id, session, since)
        join play_session s on s.id = w.session)
    select a.id as "playerId", a.shown_from as "from", (${since("since")})::double precision as "countedMs",
      (${since("shown_from")})::double precision as "playedMs"
    from counted a join play_session s on s.player_id = a.id
      and s.started_at > a.shown_from - make_interval(days => ${SESSION_DAYS_MAX}) and (s.ended_at is null or s.ended_at > a.shown_from)
    group by a.id, a.shown_from`.execute(db as Kysely<PlayTables>);
  const found = new Map(rows.map((row) => [row.playerId, row]));
  return (playerId) => found.get(playerId);
}

/** Who sits down again within this time continues the session that a limit counts, minutes. Our own judgement: no market names a length. */
export const PAUSE_MIN = 15;

/** The session that a limit of one session counts: stays at machines without a pause of `PAUSE_MIN` between them. */
export type SessionPlayed = {
  /** At machines, the present stay included. 0: none, or the pause was long enough. */
  readonly minutes: number;
  /** When the last stay ended, or now; null: there was none in the last day. */
  readonly endedAt: Date | null;
};

/** How long the sessions of these players have lasted, in one look. */
export async function sessionsPlayed(
  db: Pick<Kysely<PlayTables>, "selectFrom">,
  playerIds: readonly string[],
): Promise<(playerId: string) => SessionPlayed> {
  if (playerIds.length === 0) return () => ({ minutes: 0, endedAt: null });
  const { rows } = await sql<SessionPlayed & { readonly id: string }>`
    select w.id, stays.* from unnest(${[...playerIds]}::text[]) w(id) cross join lateral (
      select coalesce(sum(minutes) filter (where not parted), 0)::double precision as minutes, max(to_at) as "endedAt" from (
        select to_at, extract(epoch from to_at - started_at) / 60 as minutes,
          bool_or(coalesce(next_at, clock_timestamp()) - to_at >= make_interval(mins => ${PAUSE_MIN})) over (order by started_at desc) as parted
        from (select started_at, coalesce(ended_at, clock_timestamp()) as to_at, lead(started_at) over (order by started_at) as next_at
          from play_session where player_id = w.id and (ended_at is null or ended_at > clock_timestamp() - interval '1 day')) stay) gap) stays`.execute(
    db as Kysely<PlayTables>,
  );
  const found = new Map(rows.map(({ id, ...played }) => [id, played]));
  return (playerId) => found.get(playerId) ?? { minutes: 0, endedAt: null };
}

/** What a player has played since then at whatever machines, minor units. A game counts from its arrival: its own time is the agent's. */
export async function gamesSince(
  db: Pick<Kysely<PlayTables>, "selectFrom">,
  playerId: string,
  from: Date,
): Promise<{ readonly games: number; readonly wagered: number; readonly won: number }> {
  return await db
    .selectFrom("game as g")
    .innerJoin("play_session as s", "s.id", "g.play_session_id")
    .select([
      sql<number>`count(*)::int`.as("games"),
      sql<number>`coalesce(sum(g.stake), 0)::bigint`.as("wagered"),
      sql<number>`coalesce(sum(g.win), 0)::bigint`.as("won"),
    ])
    .where("s.player_id", "=", playerId)
    .where((eb) => eb.or([eb("s.ended_at", "is", null), eb("s.ended_at", ">", from)]))
    .where(sql<boolean>`greatest(g.ended_at, g.taken_at) > ${from}`)
    .executeTakeFirstOrThrow();
}
