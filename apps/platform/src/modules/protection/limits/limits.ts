import type { ColumnType, Generated, Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { PlayTables } from "../../play/tables.ts";

/** What can be limited. */
export const LIMIT_KINDS = ["cashIn", "loss", "session", "exclusion"] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];
/** Whose limit it is: the player's own, or the operator's. */
export type LimitOwner = "player" | "house";

/** Limits of players (`migrations/control/0001-machines-and-limits`). Rows only come, none changes. */
export type LimitsTables = PlayTables & {
  player_limit: {
    id: Generated<number>;
    player_id: string;
    kind: LimitKind;
    owner: LimitOwner;
    /** Minor units, minutes, or milliseconds since 1970, by kind; null: none. */
    value: number | null;
    effective_at: ColumnType<Date, RawBuilder<Date>, never>;
    set_at: ColumnType<Date, never, never>;
    set_by: string;
  };
};

/** A limit that is relaxed holds for this long after it was requested, ms (GLI-19 A.3.7: at least 24 hours). */
export const RELAX_AFTER_MS = 86_400_000;
/** What is put in and lost is counted over this long, hours. */
export const COUNTED_HOURS = 24;

type Db = Kysely<LimitsTables>;

/** What holds for a player now; null: no limit. Amounts in minor units. */
export type Limits = {
  /** Put onto machines in 24 hours. */
  readonly cashIn: number | null;
  /** Lost in 24 hours. */
  readonly loss: number | null;
  /** Minutes of one play session. */
  readonly session: number | null;
  /** No play until then, ms since 1970; null also when that is over. */
  readonly exclusion: number | null;
};

/** A limit now: what holds, and what will hold from a time on. */
export type Standing = {
  readonly playerId: string;
  readonly kind: LimitKind;
  readonly owner: LimitOwner;
  readonly value: number | null;
  readonly effectiveAt: Date;
  readonly setBy: string;
  readonly holds: boolean;
};

/** The rows that hold, and those behind them whose time has still to come; oldest first. */
export async function standingLimits(db: Db, playerId: string): Promise<Standing[]> {
  return await standingOfAll(db, [playerId]);
}

async function standingOfAll(db: Db, playerIds: readonly string[]): Promise<Standing[]> {
  const { rows } = await sql<Standing>`
    with theirs as (select *, effective_at <= clock_timestamp() as holds from player_limit where player_id = any(${[...playerIds]}::text[])),
      now as (select distinct on (player_id, kind, owner) * from theirs where holds order by player_id, kind, owner, id desc)
    select player_id as "playerId", kind, owner, value, effective_at as "effectiveAt", set_by as "setBy", holds from (
      select * from now
      union all select t.* from theirs t left join now n using (player_id, kind, owner) where not t.holds and t.id > coalesce(n.id, 0)
    ) standing order by player_id, kind, owner, id`.execute(db);
  return rows;
}

/** The stricter of the player's and the operator's limit of each kind. */
export async function limitsOf(db: Db, playerId: string): Promise<Limits> {
  return (await limitsOfAll(db, [playerId]))(playerId);
}

/** The same of many players, in one look however many they are. */
export async function limitsOfAll(db: Db, playerIds: readonly string[]): Promise<(playerId: string) => Limits> {
  const holding = (await standingOfAll(db, playerIds)).filter(({ holds }) => holds);
  const now = holding.some(({ kind }) => kind === "exclusion") ? await nowMs(db) : 0;
  return (playerId) =>
    strictestOf(
      holding.filter((one) => one.playerId === playerId),
      now,
    );
}

function strictestOf(standing: readonly Standing[], now: number): Limits {
  const strictest = (kind: LimitKind): number | null => {
    const values = standing.filter((one) => one.kind === kind).flatMap(({ value }) => value ?? []);
    if (values.length === 0) return null;
    return kind === "exclusion" ? Math.max(...values) : Math.min(...values);
  };
  const until = strictest("exclusion");
  return {
    cashIn: strictest("cashIn"),
    loss: strictest("loss"),
    session: strictest("session"),
    exclusion: until !== null && until > now ? until : null,
  };
}

async function nowMs(db: Db): Promise<number> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]?.now.getTime() ?? 0;
}

/** Players who have a limit, or only those who are excluded now; at most `most`. */
export async function playersWithLimits(db: Db, which: "any" | "excluded", most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct player_id as id from (
      select distinct on (player_id, kind, owner) * from player_limit where effective_at <= clock_timestamp()
        order by player_id, kind, owner, id desc) newest
    where value is not null and case when kind = 'exclusion' then value > extract(epoch from clock_timestamp()) * 1000
      else ${which === "any"} end
    order by player_id limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

export type SetLimit = {
  readonly playerId: string;
  readonly kind: LimitKind;
  readonly owner: LimitOwner;
  readonly value: number | null;
  /** Who sets it, 1 to 100 characters. */
  readonly by: string;
};

/** Whether a limit would let the player do more than the one before it. */
export function isRelaxed(kind: LimitKind, before: number | null, after: number | null): boolean {
  if (before === null) return false;
  if (after === null) return true;
  return kind === "exclusion" ? after < before : after > before;
}

/** When a limit would hold from: at once, or a day later when it relaxes what holds now. An exclusion that is over limits nothing. */
export async function holdsFrom(db: Db, { playerId, kind, owner, value }: SetLimit): Promise<"now" | "later"> {
  const now = (await standingLimits(db, playerId)).find((one) => one.holds && one.kind === kind && one.owner === owner);
  const before = now?.value ?? null;
  const isOver = kind === "exclusion" && before !== null && before <= (await nowMs(db));
  return isRelaxed(kind, isOver ? null : before, value) ? "later" : "now";
}

/** Sets a limit: at once when it is stricter, else in a day; answers from when on it holds. */
export async function setLimit(db: Db, asked: SetLimit): Promise<Date> {
  const from = await holdsFrom(db, asked);
  const { effective_at } = await db
    .insertInto("player_limit")
    .values({
      player_id: asked.playerId,
      kind: asked.kind,
      owner: asked.owner,
      value: asked.value,
      effective_at: from === "now" ? databaseNow() : databaseIn(RELAX_AFTER_MS),
      set_by: asked.by,
    })
    .returning("effective_at")
    .executeTakeFirstOrThrow();
  return effective_at;
}

/** For queries of other rooms: whether a limit of play time or an exclusion was ever set for the player of the column `id`. */
export function mayHaveToLeave(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from player_limit l where l.player_id = ${sql.ref(id)} and l.kind in ('session', 'exclusion'))`;
}

/** For queries of other rooms: when the newest exclusion of a player was set. */
export function exclusionSetAt(playerId: string): RawBuilder<Date | null> {
  return sql<Date | null>`(select max(set_at) from player_limit where player_id = ${playerId} and kind = 'exclusion')`;
}

/** For queries of other rooms: whether the player of the column `id` is excluded now. */
export function isExcluded(id: string): RawBuilder<boolean> {
  return sql<boolean>`player_is_excluded(${sql.ref(id)})`;
}

/** For queries of other rooms: whether anything was ever limited for the player of the column `id`; for most nothing was, and this is quickly said. */
export function wasEverLimited(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from player_limit l where l.player_id = ${sql.ref(id)})`;
}

/** For queries of other rooms: the stricter limit of a kind of the player of the column `id`; null: none. */
export function limitOf(id: string, kind: "cashIn" | "loss"): RawBuilder<number | null> {
  return sql<
    number | null
  >`(select min(value) from (select distinct on (owner) value from player_limit where player_id = ${sql.ref(id)}
    and kind = ${kind} and effective_at <= clock_timestamp() order by owner, id desc) holding)`;
}
