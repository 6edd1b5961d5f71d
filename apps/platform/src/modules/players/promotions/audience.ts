import type { Reach } from "@longarm/contract/staff-campaigns";
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import { isAtLimit } from "../../play/counted.ts";
import { hasPlayed } from "../../play/seat/index.ts";
import { getsNoPromotion } from "../../protection/gates/index.ts";
import { isExcluded, wasEverLimited } from "../../protection/limits/index.ts";
import type { KeptAudience, PromotionsTables } from "./grants.ts";

/** What of a campaign says whom it reaches. Amounts in minor units. */
export type Reaching = {
  /** Null: it is not kept yet, and so no player has anything of it. */
  readonly id: string | null;
  readonly audience: KeptAudience;
  readonly amount: number;
  readonly budget: number;
  readonly granted: number;
};

type Db = Kysely<PromotionsTables>;

/** Whether the player of the query, called `p`, belongs to an audience. */
function belongs(audience: KeptAudience): RawBuilder<boolean> {
  switch (audience.is) {
    case "list":
      return sql<boolean>`p.id = any(${[...audience.players]}::text[])`;
    case "registered":
      return sql<boolean>`(p.created_at >= ${audience.from} and p.created_at < ${audience.until})`;
    case "played":
      return hasPlayed("p.id", audience);
  }
}

/**
 * Protection of players: who may not play receives nothing, whatever the audience says. The games of a player without limits are not summed: a venue
 * has many players.
 */
const receivesNothing = sql<boolean>`(p.banned_at is not null or ${getsNoPromotion("p.id")}
  or case when ${wasEverLimited("p.id")} then ${isExcluded("p.id")} or ${isAtLimit("p.id")} else false end)`;

const hasIt = (campaignId: string | null) =>
  sql<boolean>`exists (select from bonus_grant g where g.campaign_id = ${campaignId} and g.player_id = p.id)`;

/** Whom a campaign would reach now, and what that comes to. */
export async function reachOf(db: Db, { id, audience, amount, budget, granted }: Reaching): Promise<Reach> {
  const { matching, keptOut, given } = await db
    .selectFrom(
      db
        .selectFrom("player as p")
        .select([hasIt(id).as("has"), receivesNothing.as("kept")])
        .where(belongs(audience))
        .as("found"),
    )
    .select([
      sql<number>`count(*)::int`.as("matching"),
      sql<number>`(count(*) filter (where kept and not has))::int`.as("keptOut"),
      sql<number>`(count(*) filter (where has))::int`.as("given"),
    ])
    .executeTakeFirstOrThrow();
  const wanted = matching - keptOut - given;
  const players = Math.min(wanted, Math.floor((budget - granted) / amount));
  return { matching, keptOut, given, players, amount: players * amount, beyondBudget: wanted - players };
}

/** `after`: beyond the player of this id. `limit`: players at most; `scan`: of so many at most it is asked whether they belong. */
type Window = { readonly after: string; readonly limit: number; readonly scan: number };

/**
 * Players who should have it and have not, in the order of their ids. `next`: where to go on; null: none is left. One answer takes no longer where a
 * million players belong, or none does.
 */
export async function nextPlayers(
  db: Db,
  { id, audience }: Pick<Reaching, "audience"> & { readonly id: string },
  { after, limit, scan }: Window,
): Promise<{ readonly players: readonly string[]; readonly next: string | null }> {
  // A list is short, and its players are found by their ids.
  const end = audience.is === "list" ? undefined : await lastOfWindow(db, { after, scan });
  const found = await db
    .selectFrom("player as p")
    .select("p.id")
    .where("p.id", ">", after)
    .$if(end !== undefined, (query) => query.where("p.id", "<=", end ?? ""))
    .where(belongs(audience))
    .where(sql<boolean>`not ${hasIt(id)}`)
    .where(sql<boolean>`not ${receivesNothing}`)
    .orderBy("p.id")
    .limit(limit)
    .execute();
  const players = found.map((one) => one.id);
  return { players, next: players.length === limit ? (players.at(-1) ?? null) : (end ?? null) };
}

/** Undefined: fewer than `scan` players are left. */
async function lastOfWindow(db: Db, { after, scan }: Pick<Window, "after" | "scan">): Promise<string | undefined> {
  const last = await db
    .selectFrom("player")
    .select("id")
    .where("id", ">", after)
    .orderBy("id")
    .offset(scan - 1)
    .limit(1)
    .executeTakeFirst();
  return last?.id;
}
