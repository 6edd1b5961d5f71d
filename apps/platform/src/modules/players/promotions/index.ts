import { CODE_OK } from "@longarm/contract/call";
import { calls } from "@longarm/contract/http";
import type { FastifyInstance } from "fastify";
import type { PlatformDeps } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { RepeatedLook } from "../../../repeat-look.ts";
import { invitationProblem } from "../../protection/gates/index.ts";
import type { Guard } from "../auth/index.ts";
import { callerOf } from "../auth/index.ts";
import { createCampaignKeeper } from "./campaign-keeper.ts";
import type { Claimed } from "./claim.ts";
import { claimBonus, claimDiscount } from "./claim.ts";
import type { PromotionsTables } from "./grants.ts";

export { reachOf } from "./audience.ts";
export { createCampaignKeeper } from "./campaign-keeper.ts";
export type { Campaign, CampaignPlan, CampaignStep, CampaignSums } from "./campaigns.ts";
export {
  addCampaign,
  CAMPAIGN_STEPS,
  campaignMarks,
  campaignSums,
  changeCampaign,
  findCampaign,
  listCampaigns,
  lockCampaign,
  markOf,
  planProblem,
  startCampaign,
  startedAloneSince,
  stepCampaign,
} from "./campaigns.ts";
export type { BonusGrant, Granted, PromotionsTables } from "./grants.ts";
export { grantBonus, grantedSince, grantProblem, listGrants } from "./grants.ts";

/** What the operator gives back to players; none of it to a player who is on a break or excluded by a register. Adds GET /v1/player/discount and GET /v1/player/bonus. @returns what grants the bonuses of running campaigns. */
export function createPromotions(deps: PlatformDeps, app: FastifyInstance, guard: Guard): RepeatedLook {
  const db = deps.db.kysely.withTables<PromotionsTables>();
  const claims = { db, ledger: deps.ledger };

  function claimRoute(path: string, claim: (playerId: string) => Promise<Claimed>): void {
    // The contract makes it a GET although it moves money: at least a HEAD request claims nothing.
    app.get(`/v1/${path}`, { onRequest: guard, exposeHeadRoute: false }, async (request, reply) => {
      const { playerId } = callerOf(request);
      const problem = await invitationProblem(db, playerId);
      if (problem !== null) return sendProblem(reply, problem);
      const claimed = await claim(playerId);
      if (claimed.is === "refused") return sendProblem(reply, claimed.problem);
      const { amountMinor: amount } = claimed;
      deps.bus.publish("balance.changed", { playerId });
      request.log.info({ playerId, path, amount }, "claimed");
      return reply.header("cache-control", "no-store").send({ status: true, code: CODE_OK, Params: { amount } });
    });
  }

  claimRoute(calls.discount.path, (playerId) => claimDiscount(claims, deps.config.discount, playerId));
  claimRoute(calls.bonus.path, (playerId) => claimBonus(claims, playerId));
  return createCampaignKeeper({ ...deps, db });
}
