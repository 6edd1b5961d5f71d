import { createHash } from "node:crypto";
import { canonicalJson } from "@longarm/contract/canonical-json";
import type { CampaignFields, CampaignState } from "@longarm/contract/staff-campaigns";
import type { Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { KeptAudience, PromotionsTables } from "./grants.ts";

/* The table `campaign`. Staff writes, starts, pauses and ends; the keeper grants. What is refused here is also refused by the database. */

type Db = Kysely<PromotionsTables>;
export type Campaign = Selectable<PromotionsTables["campaign"]>;
/** What a person writes, with players by their ids. */
export type CampaignPlan = Omit<CampaignFields, "audience"> & { readonly audience: KeptAudience };

/** Of what was written: two people who see the same mark see the same campaign. */
export function markOf({ name, amount, claim_days, audience, budget, starts_at, ends_at }: Campaign): string {
  const written = {
    name,
    amount,
    claim_days,
    audience,
    budget,
    starts_at: starts_at.toJSON(),
    ends_at: ends_at.toJSON(),
  };
  return createHash("sha256").update(canonicalJson(written)).digest("hex");
}

/** The calendar of both JavaScript and the database: years 1 to 9999. */
const isInCalendar = (instant: string): boolean => /^(?!0000)\d{4}-/.test(instant);

/** What is wrong with a plan, whose instants are in UTC: its field; null: nothing. `now`: by the database's clock. */
export function planProblem({ amount, budget, startsAt, endsAt, audience }: CampaignPlan, now: Date): string | null {
  if (!isInCalendar(startsAt)) return "startsAt";
  if (!isInCalendar(endsAt)) return "endsAt";
  if (audience.is !== "list" && !isInCalendar(audience.from)) return "audience.from";
  if (audience.is !== "list" && !isInCalendar(audience.until)) return "audience.until";
  if (budget < amount) return "budget";
  if (Date.parse(endsAt) <= Math.max(Date.parse(startsAt), now.getTime())) return "endsAt";
  if (audience.is !== "list" && Date.parse(audience.from) >= Date.parse(audience.until)) return "audience.until";
  return null;
}

const columnsOf = ({ name, amount, claimDays, audience, budget, startsAt, endsAt }: CampaignPlan) => ({
  name,
  amount,
  claim_days: claimDays,
  audience: JSON.stringify(audience),
  budget,
  starts_at: startsAt,
  ends_at: endsAt,
});

/** Keeps a draft. */
export async function addCampaign(
  db: Db,
  random: Random,
  plan: CampaignPlan,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<Campaign> {
  return await db
    .insertInto("campaign")
    .values({ id: newId(random, "ca"), added_by: by, reason, ...columnsOf(plan) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Changes a draft. Undefined: it is none. */
export async function changeCampaign(
  db: Db,
  id: string,
  plan: CampaignPlan,
  reason: string,
): Promise<Campaign | undefined> {
  return await db
    .updateTable("campaign")
    .set({ ...columnsOf(plan), reason })
    .where("id", "=", id)
    .where("state", "=", "draft")
    .returningAll()
    .executeTakeFirst();
}

export async function findCampaign(db: Db, id: string): Promise<Campaign | undefined> {
  return await db.selectFrom("campaign").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The same, so that it stays as it is until the transaction ends: nothing is granted meanwhile. */
export async function lockCampaign(db: Db, id: string): Promise<Campaign | undefined> {
  return await db.selectFrom("campaign").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** Starts a draft that was locked. */
export async function startCampaign(
  db: Db,
  id: string,
  { by, signedBy, reason }: { readonly by: string; readonly signedBy: string | null; readonly reason: string },
): Promise<void> {
  await db
    .updateTable("campaign")
    .set({ state: "running", started_at: databaseNow(), started_by: by, signed_by: signedBy, reason })
    .where("id", "=", id)
    .where("state", "=", "draft")
    .execute();
}

/** Which states an act leads out of, and where to. */
export const CAMPAIGN_STEPS = {
  pause: { from: ["running"], to: "paused" },
  resume: { from: ["paused"], to: "running" },
  end: { from: ["draft", "running", "paused"], to: "ended" },
} as const satisfies Record<string, { from: readonly CampaignState[]; to: CampaignState }>;
export type CampaignStep = keyof typeof CAMPAIGN_STEPS;

/** Pauses, resumes or ends one; answers whether it was in a state for that. It waits for a grant that is being made: once it answers, none is. */
export async function stepCampaign(db: Db, id: string, step: CampaignStep, reason: string): Promise<boolean> {
  const { from, to } = CAMPAIGN_STEPS[step];
  const { numUpdatedRows } = await db
    .updateTable("campaign")
    .set({ state: to, reason, ...(to === "ended" && { ended_at: databaseNow(), end_reason: "staff" as const }) })
    .where("id", "=", id)
    .where("state", "in", [...from])
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Budgets of what somebody has started since then without a second person, minor units. */
export async function startedAloneSince(db: Db, by: string, since: Date): Promise<number> {
  const { sum } = await db
    .selectFrom("campaign")
    .select(sql<number>`coalesce(sum(budget), 0)::bigint`.as("sum"))
    .where("started_by", "=", by)
    .where("signed_by", "is", null)
    .where("started_at", ">=", since)
    .executeTakeFirstOrThrow();
  return sum;
}

export type CampaignsWanted = {
  readonly state: "open" | "ended" | "all";
  /** Beyond the campaign of this id. */
  readonly after?: string | undefined;
  readonly limit: number;
};
/** A campaign with what became of its grants. `open`: what can still be claimed. Amounts in minor units. */
export type CampaignSums = Campaign & { readonly claims: number; readonly claimed: number; readonly open: number };

/** The newest first. */
export async function listCampaigns(db: Db, { state, after, limit }: CampaignsWanted): Promise<CampaignSums[]> {
  return await withSums(db)
    .$if(state !== "all", (query) => query.where("c.state", state === "ended" ? "=" : "!=", "ended"))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(c.added_at, c.id) < (select added_at, id from campaign where id = ${after ?? ""})`),
    )
    .orderBy("c.added_at", "desc")
    .orderBy("c.id", "desc")
    .limit(limit)
    .execute();
}

/** One with its sums. */
export async function campaignSums(db: Db, id: string): Promise<CampaignSums | undefined> {
  return await withSums(db).where("c.id", "=", id).executeTakeFirst();
}

const withSums = (db: Db) =>
  db
    .selectFrom("campaign as c")
    .leftJoinLateral(
      (lateral) =>
        lateral
          .selectFrom("bonus_grant as g")
          .select([
            sql<number>`count(claimed_at)::int`.as("claims"),
            sql<number>`coalesce(sum(amount) filter (where claimed_at is not null), 0)::bigint`.as("claimed"),
            sql<number>`coalesce(sum(amount) filter (where claimed_at is null and expires_at > ${databaseNow()}), 0)::bigint`.as(
              "open",
            ),
          ])
          .whereRef("g.campaign_id", "=", "c.id")
          .as("sums"),
      (join) => join.onTrue(),
    )
    .selectAll("c")
    .select([
      sql<number>`sums.claims`.as("claims"),
      sql<number>`sums.claimed`.as("claimed"),
      sql<number>`sums.open`.as("open"),
    ]);

/** What changed is seen by another mark. */
export async function campaignMarks(db: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{
    mark: string;
  }>`select concat(count(*), ' ', max(changed_at)) as mark from campaign`.execute(db);
  return rows[0]?.mark ?? "";
}
