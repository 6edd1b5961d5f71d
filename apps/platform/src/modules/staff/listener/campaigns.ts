import { OwnId } from "@longarm/contract/ids";
import type { CampaignDetail, CampaignRow } from "@longarm/contract/staff-campaigns";
import { databaseTime } from "@longarm/database/clock";
import * as z from "zod/mini";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { searchPlayers } from "../../players/accounts/index.ts";
import type { Campaign, CampaignStep, CampaignSums, PromotionsTables } from "../../players/promotions/index.ts";
import { campaignSums, listCampaigns, listGrants, markOf } from "../../players/promotions/index.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { findPerson, wholeOf } from "../accounts/index.ts";
import { beginCampaign, moveCampaign, reachOfPlan, writeCampaign } from "../desk/index.ts";
import type { StaffCaller, Waits } from "../sign-in/index.ts";
import { doAct, Refused, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps, Executes } from "./desk.ts";
import { dayBegan } from "./desk.ts";
import { idIn } from "./floor.ts";
import { listed } from "./people.ts";
import { grantedAlone } from "./players.ts";
import type { Handlers, Incoming } from "./routes.ts";

/** Campaigns: what each reaches and costs, and what staff does with them. */
export function campaignHandlers(deps: ActsDeps): Handlers {
  return { ...reading(deps), ...acts(deps) };
}

function reading({ db, source }: ActsDeps): Handlers {
  const promotions = source.withTables<PromotionsTables>();
  return {
    campaigns: async ({ query: { state, after, limit } }) => {
      const rows = await listCampaigns(promotions, { state, after: idOrNone(after), limit });
      return await listed(db, rows.map(rowOf), rows.length === limit ? (rows.at(-1)?.id ?? null) : null);
    },
    campaign: async ({ params }) => {
      const campaign = await campaignSums(promotions, idIn(params, "campaign"));
      if (campaign === undefined) throw new Refused("thing.unknown", { kind: "campaign" });
      return await detailOf(source, campaign);
    },
    campaignGrants: async ({ params, query: { after, limit } }) => {
      const campaignId = idIn(params, "campaign");
      const rows = await listGrants(promotions, { campaignId, after: idOrNone(after), limit });
      return await listed(
        db,
        rows.map((row) => ({
          id: row.id,
          player: { id: row.player_id, username: row.username },
          amount: row.amount,
          grantedAt: row.granted_at.toISOString(),
          expiresAt: row.expires_at?.toISOString() ?? null,
          claimedAt: row.claimed_at?.toISOString() ?? null,
          state: row.state,
        })),
        rows.length === limit ? (rows.at(-1)?.id ?? null) : null,
      );
    },
  };
}

function idOrNone(after: string | undefined): string | undefined {
  if (after !== undefined && !z.safeParse(OwnId, after).success)
    throw new Refused("request.invalid", { where: "after" });
  return after;
}

function rowOf(row: CampaignSums): z.input<typeof CampaignRow> {
  const { id, name, state, amount, budget, players, granted, claims, claimed, open } = row;
  const times = { startsAt: row.starts_at.toISOString(), endsAt: row.ends_at.toISOString() };
  return { id, name, state, amount, budget, ...times, players, granted, claims, claimed, open };
}

async function detailOf(source: ActsDeps["source"], row: CampaignSums): Promise<z.input<typeof CampaignDetail>> {
  return {
    ...rowOf(row),
    claimDays: row.claim_days,
    audience: await shownAudience(source, row),
    mark: markOf(row),
    addedAt: row.added_at.toISOString(),
    addedBy: row.added_by,
    startedAt: row.started_at?.toISOString() ?? null,
    startedBy: row.started_by,
    signedBy: row.signed_by,
    endedAt: row.ended_at?.toISOString() ?? null,
    endReason: row.end_reason,
    reach: row.state === "ended" ? null : await reachOfPlan(source, row),
  };
}

async function shownAudience(
  source: ActsDeps["source"],
  { audience }: Campaign,
): Promise<z.input<typeof CampaignDetail>["audience"]> {
  if (audience.is !== "list") return audience;
  const wanted = { ids: audience.players, limit: audience.players.length };
  const players = await searchPlayers(source.withTables<PlayersTables>(), wanted);
  return { is: "list", players: players.map(({ id, username }) => ({ id, username })) };
}

type Stepping = Pick<Incoming<"pauseCampaign">, "act" | "params" | "body">;

function acts(deps: ActsDeps): Handlers {
  const { random } = deps;
  const step =
    (to: CampaignStep) =>
    ({ act, params, body }: Stepping) =>
      doAct(deps, act(), async (trx) => {
        await moveCampaign(wholeOf(trx), idIn(params, "campaign"), to, body.reason);
        return {};
      });
  return {
    addCampaign: ({ act, caller, body: { id: _, dryRun: _dry, stepUp: _step, reason, ...fields } }) =>
      doAct(deps, act(), (trx) => writeCampaign(wholeOf(trx), random, fields, { by: caller().username, reason })),
    changeCampaign: ({ act, caller, params, body: { id: _, dryRun: _dry, stepUp: _step, reason, ...fields } }) =>
      doAct(deps, act(), (trx) =>
        writeCampaign(wholeOf(trx), random, fields, { by: caller().username, reason, id: idIn(params, "campaign") }),
      ),
    startCampaign: ({ act, caller, params, body }) =>
      doAct(deps, act(), (trx) =>
        start(deps, trx, caller(), { id: idIn(params, "campaign"), mark: body.mark, reason: body.reason }),
      ),
    pauseCampaign: step("pause"),
    resumeCampaign: step("resume"),
    endCampaign: step("end"),
  };
}

type Started = { readonly id: string; readonly mark: string; readonly reason: string };

/** Starts a draft now, or writes down what a second person must sign: the whole budget counts as granted by who starts it. */
async function start(
  deps: ActsDeps,
  trx: StaffTransaction,
  caller: StaffCaller,
  { id, mark, reason }: Started,
): Promise<{ reach: Awaited<ReturnType<typeof reachOfPlan>> } | Waits> {
  const { username: by, limits } = caller;
  const begun = await beginCampaign<Waits>(wholeOf(trx), { id, mark }, async (campaign) => {
    const alone = await grantedAlone(trx, caller, dayBegan(await databaseTime(trx), deps));
    if (!deps.secondPerson || alone + campaign.budget <= (limits.bonus ?? 0))
      return { start: { by, signedBy: null, reason } };
    const reach = await reachOfPlan(wholeOf(trx), campaign);
    const request = await requestApproval(trx, deps.random, caller, {
      kind: "campaign.start",
      subject: `campaign:${id}`,
      amount: campaign.budget,
      reason,
      content: contentOf(campaign, by),
      evidence: [
        { label: "campaign", value: campaign.name },
        { label: "players now", value: String(reach.players) },
        { label: "kept out", value: String(reach.keptOut) },
        { label: "granted now", value: null, amount: reach.amount },
      ],
      would: { reach },
    });
    return { otherwise: request };
  });
  return "otherwise" in begun ? begun.otherwise : begun;
}

/** What two people sign. `mark` covers all of it, and each named player. */
function contentOf(campaign: Campaign, by: string) {
  const { id, name, amount, budget, audience } = campaign;
  return {
    campaign: id,
    mark: markOf(campaign),
    by,
    name,
    amount,
    budget,
    claimDays: campaign.claim_days,
    startsAt: campaign.starts_at.toISOString(),
    endsAt: campaign.ends_at.toISOString(),
    audience: audience.is === "list" ? { is: audience.is, players: audience.players.length } : audience,
  };
}

const StartContent = z.object({ campaign: z.string(), mark: z.string(), by: z.string() });

/** What a second signature lets happen to campaigns. */
export function campaignExecutes(): Executes {
  return {
    "campaign.start": async (trx, content, { signedBy, reason }) => {
      const { campaign: id, mark, by } = z.parse(StartContent, content);
      const second = (await findPerson(trx, signedBy))?.username ?? signedBy;
      await beginCampaign(wholeOf(trx), { id, mark }, async () => ({ start: { by, signedBy: second, reason } }));
    },
  };
}
