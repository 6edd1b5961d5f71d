import type { CampaignFields, Reach } from "@longarm/contract/staff-campaigns";
import { databaseTime } from "@longarm/database/clock";
import type { Kysely } from "kysely";
import type { Random } from "../../../random.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayersNamed } from "../../players/accounts/index.ts";
import type { Campaign, CampaignPlan, CampaignStep, PromotionsTables } from "../../players/promotions/index.ts";
import {
  addCampaign,
  CAMPAIGN_STEPS,
  changeCampaign,
  findCampaign,
  lockCampaign,
  markOf,
  planProblem,
  reachOf,
  startCampaign,
  stepCampaign,
} from "../../players/promotions/index.ts";
import { Refused } from "../sign-in/index.ts";

/** Names of unknown players that a refusal lists. */
const NAMES_MAX = 5;

const tablesOf = (db: Kysely<unknown>) => db.withTables<PromotionsTables>();

/** The same instant in UTC: the database knows fewer offsets than ISO 8601. */
const inUtc = (instant: string): string => new Date(instant).toISOString();

/** What a person wrote, with its players by their ids and its instants in UTC. @throws Refused `player.unknown`, `request.invalid`. */
async function planOf(db: Kysely<unknown>, { audience, ...fields }: CampaignFields): Promise<CampaignPlan> {
  const plan = {
    ...fields,
    startsAt: inUtc(fields.startsAt),
    endsAt: inUtc(fields.endsAt),
    audience:
      audience.is === "list"
        ? await listOf(db, audience.players)
        : { ...audience, from: inUtc(audience.from), until: inUtc(audience.until) },
  };
  const where = planProblem(plan, await databaseTime(db));
  if (where !== null) throw new Refused("request.invalid", { where });
  return plan;
}

async function listOf(db: Kysely<unknown>, texts: readonly string[]): Promise<CampaignPlan["audience"]> {
  const named = await findPlayersNamed(db.withTables<PlayersTables>(), texts);
  const unknown = texts.filter((text) => !named.has(text));
  if (unknown.length > 0) {
    const more = unknown.length > NAMES_MAX ? ", …" : "";
    throw new Refused("player.unknown", { names: unknown.slice(0, NAMES_MAX).join(", ") + more });
  }
  return { is: "list", players: [...new Set([...named.values()].map(({ id }) => id))].toSorted() };
}

/** Whom a campaign would reach now. */
export const reachOfPlan = (db: Kysely<unknown>, campaign: Campaign): Promise<Reach> => reachOf(tablesOf(db), campaign);

/** Keeps a draft, or changes one (`id`). @throws Refused. */
export async function writeCampaign(
  trx: Kysely<unknown>,
  random: Random,
  fields: CampaignFields,
  { by, reason, id }: { readonly by: string; readonly reason: string; readonly id?: string | undefined },
): Promise<{ id: string; reach: Reach }> {
  const plan = await planOf(trx, fields);
  const db = tablesOf(trx);
  if (id !== undefined) await known(trx, id);
  const campaign =
    id === undefined ? await addCampaign(db, random, plan, { by, reason }) : await changeCampaign(db, id, plan, reason);
  if (campaign === undefined)
    throw new Refused("act.refused", { sentence: "It was started: what was started does not change." });
  return { id: campaign.id, reach: await reachOfPlan(trx, campaign) };
}

/** A campaign of this id. @throws Refused. */
async function known(db: Kysely<unknown>, id: string): Promise<Campaign> {
  const campaign = await findCampaign(tablesOf(db), id);
  if (campaign === undefined) throw new Refused("thing.unknown", { kind: "campaign" });
  return campaign;
}

/**
 * Locks a draft that is as its person saw it, and can start. `mark`: absent: whatever it says now.
 * @throws Refused `approval.changed`: another was seen, or it is no draft any more.
 */
async function lockDraft(trx: Kysely<unknown>, id: string, mark: string | undefined): Promise<Campaign> {
  const campaign = await lockCampaign(tablesOf(trx), id);
  if (campaign === undefined) throw new Refused("thing.unknown", { kind: "campaign" });
  if (campaign.state !== "draft" || (mark !== undefined && markOf(campaign) !== mark))
    throw new Refused("approval.changed");
  if (campaign.ends_at <= (await databaseTime(trx)))
    throw new Refused("act.refused", { sentence: "Its time is over: change the draft first." });
  return campaign;
}

/** Who starts a campaign. `signedBy`: the second person; null: none is needed. */
export type Starter = { readonly by: string; readonly signedBy: string | null; readonly reason: string };

/**
 * Starts a draft. `starter` decides with the locked draft who answers for it, or that nothing is done now.
 * @throws Refused.
 */
export async function beginCampaign<Otherwise>(
  trx: Kysely<unknown>,
  { id, mark }: { readonly id: string; readonly mark: string | undefined },
  starter: (campaign: Campaign) => Promise<{ start: Starter } | { otherwise: Otherwise }>,
): Promise<{ reach: Reach } | { otherwise: Otherwise }> {
  const campaign = await lockDraft(trx, id, mark);
  const decided = await starter(campaign);
  if ("otherwise" in decided) return decided;
  await startCampaign(tablesOf(trx), id, decided.start);
  return { reach: await reachOfPlan(trx, campaign) };
}

const SENTENCES = {
  pause: "It does not run.",
  resume: "It is not paused.",
  end: "It has ended already.",
} as const satisfies Record<CampaignStep, string>;

/** Pauses, resumes or ends one. @throws Refused. */
export async function moveCampaign(
  trx: Kysely<unknown>,
  id: string,
  step: CampaignStep,
  reason: string,
): Promise<void> {
  const { state, ends_at } = await known(trx, id);
  const { from } = CAMPAIGN_STEPS[step];
  const isOver = step === "resume" && ends_at <= (await databaseTime(trx));
  if (isOver) throw new Refused("act.refused", { sentence: "Its time is over." });
  if (!(from as readonly string[]).includes(state) || !(await stepCampaign(tablesOf(trx), id, step, reason)))
    throw new Refused("act.refused", { sentence: SENTENCES[step] });
}
