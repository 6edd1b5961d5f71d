import type { ColumnType, Generated, Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import { rulesOfMarket } from "./all.ts";
import type { MarketId } from "./market.ts";
import { MARKET_IDS } from "./market.ts";
import type { Rules } from "./rules.ts";
import { strictest } from "./rules.ts";

/** Whose market it is: everybody's, one player's, or one machine's. */
export const MARKET_SCOPES = ["venue", "player", "machine"] as const;
export type MarketScope = (typeof MARKET_SCOPES)[number];

/** `migrations/protection`: rows are only added, the newest of a scope and subject holds. */
export type MarketTables = {
  market_choice: {
    id: Generated<number>;
    scope: MarketScope;
    /** Id of the player or machine; empty: the venue. */
    subject: string;
    /** Null: no market of its own any more. */
    market: MarketId | null;
    chosen_by: string;
    reason: string;
    chosen_at: ColumnType<Date, never, never>;
  };
};
type Db = Kysely<MarketTables>;

export type MarketChoice = {
  readonly scope: MarketScope;
  readonly subject: string;
  readonly market: MarketId | null;
  readonly by: string;
  readonly reason: string;
  readonly at: Date;
};

/** Chooses a market for the venue, a player or a machine; the audit log has it with what held before. Plays that run follow with their next renewal. */
export async function chooseMarket(db: Db, choice: Omit<MarketChoice, "at">): Promise<void> {
  const { scope, subject, market, by, reason } = choice;
  await db.insertInto("market_choice").values({ scope, subject, market, chosen_by: by, reason }).execute();
}

/** What holds now: the venue's choice, and those of players and machines that have one. */
export async function marketChoices(db: Db): Promise<MarketChoice[]> {
  const { rows } = await sql<MarketChoice>`
    select scope, subject, market, chosen_by as "by", reason, chosen_at as "at" from (
      select distinct on (scope, subject) * from market_choice order by scope, subject, id desc) newest
    where market is not null or scope = 'venue' order by scope desc, subject`.execute(db);
  return rows.map((row) => ({ ...row, market: known(row.market) }));
}

/** Whether a market was ever chosen: where none was, no rules are looked up. */
export async function hasMarkets(db: Db): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select exists (select from market_choice) as has`.execute(db);
  return rows[0]?.has === true;
}

/** A market that only a newer program knows counts as the strictest that we have: it was chosen to protect. */
const known = (market: string | null): MarketId | null =>
  market === null || (MARKET_IDS as readonly string[]).includes(market) ? (market as MarketId | null) : "lab";

/** Whom the rules are for. No `machineId`: at no machine. */
export type Ruled = { readonly playerId: string; readonly machineId?: string | undefined };

/** The rules of a player, at a machine or at none: of venue, player and machine the strictest. */
export async function rulesOf(db: Db, ruled: Ruled): Promise<Rules> {
  const [rules] = await rulesOfAll(db, [ruled]);
  return rules ?? rulesOfMarket("none");
}

/** The same of many, in one look, in the order given. */
export async function rulesOfAll(db: Db, ruled: readonly Ruled[]): Promise<Rules[]> {
  return (await marketsAt(db, ruled)).map((markets) =>
    (markets.length === 0 ? (["none"] as const) : markets)
      .map(rulesOfMarket)
      .reduce((one, other) => strictest(one, other)),
  );
}

/** The markets of each: of venue, player and machine, as far as one was chosen. */
export async function marketsAt(db: Db, ruled: readonly Ruled[]): Promise<MarketId[][]> {
  const subjects = ruled.flatMap(({ playerId, machineId }) => [playerId, machineId ?? ""]);
  const { rows } = await sql<{ scope: MarketScope; subject: string; market: string | null }>`
    select distinct on (scope, subject) scope, subject, market from market_choice
    where scope = 'venue' or subject = any(${subjects}::text[]) order by scope, subject, id desc`.execute(db);
  const chosen = new Map(rows.map(({ scope, subject, market }) => [`${scope} ${subject}`, known(market)]));
  return ruled.map(({ playerId, machineId }) => {
    const scopes = ["venue ", `player ${playerId}`, ...(machineId === undefined ? [] : [`machine ${machineId}`])];
    return scopes.flatMap((scope) => chosen.get(scope) ?? []);
  });
}

/** The markets that hold for a player: the venue's and the player's own, and before those that machines have; none was chosen: empty. */
export async function marketsOf(db: Db, playerId: string): Promise<MarketId[]> {
  const { rows } = await sql<{
    market: string | null;
  }>`select distinct market from (${newestFor(playerId)}) chosen order by market`.execute(db);
  return [...new Set(rows.flatMap(({ market }) => known(market) ?? []))];
}

const newestFor = (playerId: string) => sql`
  select distinct on (scope, subject) market from market_choice where scope <> 'player' or subject = ${playerId} order by scope, subject, id desc`;

/** Markets that offer limits to each player. */
const OFFERING = MARKET_IDS.filter((id) => rulesOfMarket(id).limitsOffered !== "onPage");

/** For queries of other rooms: whether a market offers limits to a player now, wherever the player may sit down. */
export const mayOfferLimits = (playerId: string): RawBuilder<boolean> => sql<boolean>`
  exists (select from (${newestFor(playerId)}) chosen where market = any(${[...OFFERING]}::text[]) or market <> all(${[...MARKET_IDS]}::text[]))`;

/** Markets whose own limits may end a play session that runs. */
const LIMITING_PLAY = MARKET_IDS.filter((id) =>
  Object.keys(rulesOfMarket(id).limitsOfAll).some((key) => /^(loss|wager|time)\./.test(key)),
);

/** The highest least age of all markets, years. */
export const AGE_MIN_MOST = Math.max(...MARKET_IDS.map((id) => rulesOfMarket(id).ageMin));

/** Markets that want something before play which may be lost while somebody plays. */
const CLOSING_PLAY = MARKET_IDS.filter((id) => {
  const { identityBefore, registers, limitsRequired, helpBeforePlay } = rulesOfMarket(id);
  return identityBefore.includes("play") || registers.length > 0 || limitsRequired.length > 0 || helpBeforePlay;
});

/** For queries of other rooms: whether a market was ever chosen that wants something before play: identity, registers, limits or listed help. */
export const mayClosePlay = (): RawBuilder<boolean> => everChosen(CLOSING_PLAY);

/** For queries of other rooms: whether a market was ever chosen that limits the play of everybody. Without such a market this costs nothing. */
export const mayLimitPlay = (): RawBuilder<boolean> => everChosen(LIMITING_PLAY);

/** Whether one of these was ever chosen, or one that only a newer program knows. */
function everChosen(markets: readonly MarketId[]): RawBuilder<boolean> {
  if (markets.length === 0) return sql<boolean>`false`;
  return sql<boolean>`exists (select from market_choice where market = any(${[...markets]}::text[]) or market <> all(${[...MARKET_IDS]}::text[]))`;
}
