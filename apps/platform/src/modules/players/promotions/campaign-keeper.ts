import { runTransaction } from "@longarm/database/run-transaction";
import type { Kysely, Transaction } from "kysely";
import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import { databaseNow } from "../../../database-time.ts";
import type { Log } from "../../../log.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { RepeatedLook } from "../../../repeat-look.ts";
import { repeatLook } from "../../../repeat-look.ts";
import { nextPlayers } from "./audience.ts";
import type { Campaign } from "./campaigns.ts";
import type { EndReason, PromotionsTables } from "./grants.ts";

/** Running campaigns are looked at this often, ms. */
const LOOK_MS = 5_000;
/** Players of one transaction: a pause waits for no more than these. */
const PLAYERS_AT_ONCE = 50;
/** Of so many players one transaction asks whether they belong. */
const SCANNED_AT_ONCE = 1_000;
/** Transactions of one campaign in one look: the next look goes on there, so that no campaign waits for a large one. */
const PAGES_OF_LOOK = 100;

export type CampaignKeeperDeps = {
  readonly db: Kysely<PromotionsTables>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Pick<Log, "info" | "warn">;
};

/**
 * Grants what running campaigns promise, on every node: the lock of a campaign's row lets one node at a time grant from it, and ends with that node.
 * What was granted is in the rows, so each look continues where the last one stopped, whichever node made it.
 */
export function createCampaignKeeper(deps: CampaignKeeperDeps): RepeatedLook {
  const { db, clock, log } = deps;
  /** After which player the next look continues, of campaigns that no look has gone through yet. */
  let reached = new Map<string, string>();

  async function grantFrom(id: string, isClosed: () => boolean): Promise<number> {
    let granted = 0;
    for (let pages = 0; pages < PAGES_OF_LOOK && !isClosed(); pages += 1) {
      const page = await grantPage(deps, id, reached.get(id) ?? "");
      if (page === undefined) break;
      granted += page.players;
      if (page.ended !== null) log.info({ campaign: id, why: page.ended }, "a campaign ended");
      if (page.next === null) {
        reached.delete(id);
        break;
      }
      reached.set(id, page.next);
    }
    return granted;
  }

  const failed = "campaigns could not be looked at, the next look tries again";
  return repeatLook({ clock, log, everyMs: LOOK_MS, failed }, async (isClosed) => {
    let granted = 0;
    const due = await db.selectFrom("campaign").select("id").where("state", "=", "running").orderBy("id").execute();
    reached = new Map(due.flatMap(({ id }) => (reached.has(id) ? [[id, reached.get(id) ?? ""]] : [])));
    for (const { id } of due) {
      try {
        granted += await grantFrom(id, isClosed);
      } catch (error) {
        log.warn({ err: error, campaign: id }, "a campaign could not be looked at, the next look tries again");
      }
    }
    return granted;
  });
}

/** What one transaction did. `next`: after which player the next one continues; null: no player is left, or it grants nothing now. */
type Page = { readonly players: number; readonly next: string | null; readonly ended: EndReason | null };
const NOTHING: Page = { players: 0, next: null, ended: null };

/**
 * Grants to a few players under the lock of the campaign's row. State, time and budget are judged under it. Undefined: another node has the lock, or
 * the campaign does not run.
 */
async function grantPage({ db, random }: CampaignKeeperDeps, id: string, after: string): Promise<Page | undefined> {
  return await runTransaction(db, async (trx) => {
    const campaign = await trx
      .selectFrom("campaign")
      .selectAll()
      .select(sql<boolean>`starts_at <= ${databaseNow()}`.as("begun"))
      .select(sql<boolean>`ends_at <= ${databaseNow()}`.as("over"))
      .where("id", "=", id)
      .where("state", "=", "running")
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (campaign === undefined) return undefined;
    if (campaign.over) return await end(trx, id, "time");
    if (!campaign.begun) return NOTHING;
    const affordable = Math.floor((campaign.budget - campaign.granted) / campaign.amount);
    if (affordable < 1) return await end(trx, id, "budget");
    const limit = Math.min(PLAYERS_AT_ONCE, affordable);
    const { players, next } = await nextPlayers(trx, campaign, { after, limit, scan: SCANNED_AT_ONCE });
    if (players.length > 0) await grantTo(trx, random, campaign, players);
    return { players: players.length, next, ended: null };
  });
}

async function end(trx: Transaction<PromotionsTables>, id: string, why: EndReason): Promise<Page> {
  await trx
    .updateTable("campaign")
    .set({ state: "ended", ended_at: databaseNow(), end_reason: why })
    .where("id", "=", id)
    .execute();
  return { ...NOTHING, ended: why };
}

async function grantTo(
  trx: Transaction<PromotionsTables>,
  random: Random,
  { id, name, amount, claim_days, started_by }: Campaign,
  players: readonly string[],
): Promise<void> {
  await trx
    .insertInto("bonus_grant")
    .values(
      players.map((player) => ({
        id: newId(random, "bg"),
        player_id: player,
        amount,
        reason: name,
        granted_by: started_by ?? "platform",
        expires_at: sql<Date>`${databaseNow()} + make_interval(days => ${claim_days})`,
        campaign_id: id,
      })),
    )
    .execute();
  await trx
    .updateTable("campaign")
    .set({
      players: sql<number>`players + ${players.length}`,
      granted: sql<number>`granted + ${players.length}::bigint * amount`,
    })
    .where("id", "=", id)
    .execute();
}
