import type { CountedKind, LimitKey, LimitPeriod } from "@longarm/contract/player-protection";
import { COUNTED_KINDS, LIMIT_KEYS } from "@longarm/contract/player-protection";
import { databaseTime } from "@longarm/database/clock";
import type { ColumnType, Generated, Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { PlayTables } from "../../play/tables.ts";
import { accountsOf, personOf } from "../identity/index.ts";
import type { MarketTables, Rules } from "../markets/index.ts";
import { rulesOfAll } from "../markets/index.ts";

/** What can be limited. */
export const LIMIT_KINDS = [...COUNTED_KINDS, "session", "exclusion"] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];
/** Whose limit it is: the player's own, or the operator's. */
export type LimitOwner = "player" | "house";
/** How a limit is named outside of the database: `loss.week`, `session`. */
export type LimitName = LimitKey | "session" | "exclusion";

/** Limits of players (`migrations/control/0001`, `migrations/protection/0006`). Rows only come, none changes. */
export type LimitsTables = PlayTables &
  MarketTables & {
    player_limit: {
      id: Generated<number>;
      player_id: string;
      kind: LimitKind;
      /** Of `session` and `exclusion` always `day`. */
      period: Generated<LimitPeriod>;
      owner: LimitOwner;
      /** Minor units, minutes, or milliseconds since 1970, by kind; null: none. */
      value: number | null;
      effective_at: ColumnType<Date, RawBuilder<Date>, never>;
      /** It holds only with the player's yes after `effective_at`. */
      asks_again: Generated<boolean>;
      set_at: ColumnType<Date, never, never>;
      set_by: string;
    };
    player_limit_answer: {
      limit_id: number;
      answer: LimitAnswer;
      answered_at: ColumnType<Date, never, never>;
      answered_by: string;
    };
  };

/** What became of a limit that waited. */
export type LimitAnswer = "yes" | "no" | "takenBack" | "replaced";

/** How long a looser limit that needs the player's yes waits for it after its time, days; then it lapses. */
export const ANSWER_DAYS = 7;

type Db = Kysely<LimitsTables>;

/** A limit that holds, and whose it is. Minor units; of `time` minutes. */
export type HeldLimit = { readonly value: number; readonly owner: LimitOwner | "market" };

/** What holds for a player now; null: no limit. */
export type Limits = {
  /** Of each key the strictest of player, operator and market; absent: no limit. */
  readonly counted: Readonly<Partial<Record<LimitKey, HeldLimit>>>;
  /** Minutes of one play session. */
  readonly session: number | null;
  /** No play until then, ms since 1970; null also when that is over. */
  readonly exclusion: number | null;
  /** Limits that the market demands of the player before play, and that the player has not set. */
  readonly missing: readonly LimitKey[];
  /** Of `missing` those that the player had, and has removed: play that runs ends. */
  readonly removed: readonly LimitKey[];
};

/** A limit now: what holds, or what waits to hold. */
export type Standing = {
  readonly id: number;
  readonly playerId: string;
  readonly kind: LimitKind;
  readonly period: LimitPeriod;
  readonly owner: LimitOwner;
  readonly value: number | null;
  readonly effectiveAt: Date;
  /** It needs the player's yes after `effectiveAt`. */
  readonly asksAgain: boolean;
  readonly setBy: string;
  readonly holds: boolean;
};

/** Whom limits are for. `machineId`: a machine may have a market of its own. */
export type Limited = { readonly playerId: string; readonly machineId?: string | undefined };

/** `loss.week` of a kind and a period. */
export function limitNameOf({ kind, period }: Pick<Standing, "kind" | "period">): LimitName {
  return kind === "session" || kind === "exclusion" ? kind : `${kind}.${period}`;
}

/** Kind and period of a name. */
export function limitPartsOf(name: LimitName): { readonly kind: LimitKind; readonly period: LimitPeriod } {
  const [kind = "", period = "day"] = name.split(".");
  return { kind: kind as LimitKind, period: period as LimitPeriod };
}

/** Whether the row `l` of a query, with its answer `a`, holds as long as no newer one of its owner does. */
const hasBegun = sql<boolean>`case when l.asks_again then a.answer is not distinct from 'yes'
  else l.effective_at <= clock_timestamp() and a.answer is null end`;

/** Whether the row `l` of a query, with its answer `a`, may still begin to hold. */
export const stillWaits = sql<boolean>`(a.answer is null and clock_timestamp() <
  case when l.asks_again then l.effective_at + make_interval(days => ${ANSWER_DAYS}) else l.effective_at end)`;

/** The rows that hold, and those behind them that wait; oldest first. */
export async function standingLimits(db: Db, playerId: string): Promise<Standing[]> {
  return await standingOfAll(db, [playerId]);
}

async function standingOfAll(db: Db, playerIds: readonly string[]): Promise<Standing[]> {
  const { rows } = await sql<Standing>`
    with theirs as (select l.*, ${hasBegun} as holds, ${stillWaits} as waits
        from player_limit l left join player_limit_answer a on a.limit_id = l.id where l.player_id = any(${[...playerIds]}::text[])),
      now as (select distinct on (player_id, kind, period, owner) * from theirs where holds order by player_id, kind, period, owner, id desc)
    select id, player_id as "playerId", kind, period, owner, value, effective_at as "effectiveAt", asks_again as "asksAgain", set_by as "setBy", holds
    from (select * from now
      union all select t.* from theirs t left join now n using (player_id, kind, period, owner) where not t.holds and t.waits and t.id > coalesce(n.id, 0)
    ) standing order by player_id, kind, period, owner, id`.execute(db);
  return rows;
}

/** What holds for a player, at a machine or at none. */
export async function limitsOf(db: Db, limited: Limited): Promise<Limits> {
  return (await limitsOfAll(db, [limited]))(limited.playerId);
}

/** The same of many players, in two looks however many they are. No player may be in it twice. */
export async function limitsOfAll(db: Db, limited: readonly Limited[]): Promise<(playerId: string) => Limits> {
  const playerIds = limited.map(({ playerId }) => playerId);
  const accounts = await accountsOf(db, playerIds);
  const everyId = [...new Set([...playerIds, ...[...accounts.values()].flat()])];
  const holding = (await standingOfAll(db, everyId)).filter(({ holds }) => holds);
  const rules = await rulesOfAll(db, limited);
  const now = holding.some(({ kind }) => kind === "exclusion") ? (await databaseTime(db)).getTime() : 0;
  const own = Map.groupBy(holding, ({ playerId }) => playerId);
  // An exclusion of any account holds for the person; other limits are of one account.
  const ofPerson = (playerId: string) =>
    (accounts.get(playerId) ?? []).flatMap((id) =>
      id === playerId ? [] : (own.get(id) ?? []).filter(({ kind }) => kind === "exclusion"),
    );
  const all = new Map(
    playerIds.map((playerId, index) => [
      playerId,
      strictestOf([...(own.get(playerId) ?? []), ...ofPerson(playerId)], rules[index], now),
    ]),
  );
  return (playerId) => all.get(playerId) ?? strictestOf([], undefined, now);
}

/** Of what holds for one player the strictest. `now`: ms since 1970. */
export function strictestOf(
  holding: readonly Standing[],
  rules: Pick<Rules, "limitsOfAll" | "limitsRequired"> | undefined,
  now: number,
): Limits {
  const valuesOf = (name: LimitName) =>
    (["player", "house"] as const).flatMap((owner) => {
      const value = holding.find((one) => one.owner === owner && limitNameOf(one) === name)?.value ?? null;
      return value === null ? [] : [{ value, owner }];
    });
  const counted: Partial<Record<LimitKey, HeldLimit>> = {};
  for (const key of LIMIT_KEYS) {
    const ofMarket = rules?.limitsOfAll[key];
    const all: HeldLimit[] = [
      ...valuesOf(key),
      ...(ofMarket === undefined ? [] : [{ value: ofMarket, owner: "market" as const }]),
    ];
    const [first, ...others] = all;
    // Of equal ones the first: the player's own before the operator's, and both before the market's.
    if (first !== undefined)
      counted[key] = others.reduce((one, other) => (other.value < one.value ? other : one), first);
  }
  const sessions = valuesOf("session").map(({ value }) => value);
  const missing = LIMIT_KEYS.filter(
    (key) => rules?.limitsRequired.includes(key) && !valuesOf(key).some(({ owner }) => owner === "player"),
  );
  const until = Math.max(0, ...holding.map(({ kind, value }) => (kind === "exclusion" ? (value ?? 0) : 0)));
  return {
    counted,
    session: sessions.length === 0 ? null : Math.min(...sessions),
    exclusion: until > now ? until : null,
    missing,
    // A row without a value is a limit that was taken away.
    removed: missing.filter((key) => holding.some((one) => one.owner === "player" && limitNameOf(one) === key)),
  };
}

/** Players who have a limit, or only those who are excluded now; at most `most`. */
export async function playersWithLimits(db: Db, which: "any" | "excluded", most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct player_id as id from (
      select distinct on (l.player_id, l.kind, l.period, l.owner) l.player_id, l.kind, l.value
        from player_limit l left join player_limit_answer a on a.limit_id = l.id where ${hasBegun}
        order by l.player_id, l.kind, l.period, l.owner, l.id desc) newest
    where value is not null and case when kind = 'exclusion' then value > extract(epoch from clock_timestamp()) * 1000
      else ${which === "any"} end
    order by player_id limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Kinds that may end a play session that runs. */
const ENDING_KINDS = ["loss", "wager", "time", "session", "exclusion"] as const satisfies readonly LimitKind[];

/** For queries of other rooms: whether a limit that may end a play session was ever set for the player of the column `id`. */
export function mayHaveToLeave(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from player_limit l where l.player_id in ${personOf(id)} and l.kind = any(${[...ENDING_KINDS]}::text[]))`;
}

/** For queries of other rooms: when the newest exclusion of a player was set. */
export function exclusionSetAt(playerId: string): RawBuilder<Date | null> {
  return sql<Date | null>`(select max(set_at) from player_limit where player_id = ${playerId} and kind = 'exclusion')`;
}

/** For queries of other rooms: whether the player of the column `id` is excluded now. */
export function isExcluded(id: string): RawBuilder<boolean> {
  return sql<boolean>`player_is_excluded(${sql.ref(id)})`;
}

/** For queries of other rooms: whether anything was ever limited for the person of the column `id`; for most nothing was, and this is quickly said. */
export function wasEverLimited(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from player_limit l where l.player_id in ${personOf(id)})`;
}

/** For queries of other rooms: the stricter limit of player and operator for the player of the column `id`; null: none. */
export function limitOf(id: string, kind: CountedKind, period: LimitPeriod): RawBuilder<number | null> {
  return sql<number | null>`(select min(value) from (select distinct on (l.owner) l.value
    from player_limit l left join player_limit_answer a on a.limit_id = l.id
    where l.player_id = ${sql.ref(id)} and l.kind = ${kind} and l.period = ${period} and ${hasBegun} order by l.owner, l.id desc) holding)`;
}
