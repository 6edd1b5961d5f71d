import { createHash } from "node:crypto";
import { playerAccount } from "@longarm/ledger/rules/address";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { ClaimDeps, Claimed, ClaimTransaction } from "./claim.ts";
import { inTurn, pay, refused } from "./claim.ts";

export type DiscountRules = {
  /** Share of the net loss that comes back, percent; 0: there is no discount. */
  readonly percent: number;
  /** Least time between two discounts of a player, seconds. */
  readonly periodS: number;
  /** What can be spent must be below it, minor units; null: any balance will do. */
  readonly balanceBelowMinor: number | null;
};

/**
 * Gives back a share of what the player has lost in settled play sessions since the last discount, rounded down to a minor unit. What was won
 * since counts against it, and a loss is counted once. Refuses with: claim.claimed (Params: seconds until the next one), claim.nothing.
 */
export async function claimDiscount(deps: ClaimDeps, rules: DiscountRules, playerId: string): Promise<Claimed> {
  if (rules.percent === 0) return refused("claim.nothing");
  return await inTurn(deps, playerId, async (trx, books) => {
    const last = await lastClaim(trx, playerId, rules.periodS);
    if (last && last.seconds > 0) return refused("claim.claimed", { params: { seconds: last.seconds } });
    const { availableMinor } = await books.account(playerAccount(playerId));
    if (rules.balanceBelowMinor !== null && availableMinor >= rules.balanceBelowMinor)
      return refused("claim.nothing", { detail: "the balance is not below DISCOUNT_BALANCE_BELOW" });
    const loss = await netLoss(trx, playerId);
    const amount = shareOf(loss - (last?.lossCounted ?? 0), rules.percent);
    if (amount < 1) return refused("claim.nothing");
    const number = (last?.number ?? 0) + 1;
    const transferId = discountTransferId(playerId, number);
    const row = { player_id: playerId, number, amount, percent: rules.percent, transfer_id: transferId };
    await trx
      .insertInto("discount_claim")
      .values({ ...row, loss_counted: loss, claimed_at: databaseNow() })
      .execute();
    const about = { reason: `${rules.percent} % of the net loss`, number };
    return await pay(books, { transferId, kind: "discount", playerId, amountMinor: amount, about });
  });
}

/** The whole part of a share; in big integers, because a product of two safe ones need not be safe. */
function shareOf(lossMinor: number, percent: number): number {
  return lossMinor <= 0 ? 0 : Number((BigInt(lossMinor) * BigInt(percent)) / 100n);
}

/** The last claim and how long until the next one, judged now: whoever waited for the lock began before the claim it waited for. */
async function lastClaim(trx: ClaimTransaction, playerId: string, periodS: number) {
  return await trx
    .selectFrom("discount_claim")
    .select(["number", "loss_counted as lossCounted"])
    .select(sql<number>`ceil(${periodS} - extract(epoch from ${databaseNow()} - claimed_at))::int`.as("seconds"))
    .where("player_id", "=", playerId)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** What all settled play sessions of a player have cost, minor units; below zero: won. Also a game that was told late is in it. */
async function netLoss(trx: ClaimTransaction, playerId: string): Promise<number> {
  const { loss } = await trx
    .selectFrom("play_session")
    .select(sql<number>`coalesce(-sum(net), 0)::bigint`.as("loss"))
    .where("player_id", "=", playerId)
    .where("ended_at", "is not", null)
    .executeTakeFirstOrThrow();
  return loss;
}

/** The ledger's id of one discount of a player. Hashed, since ids of players may be as long as those of the ledger. */
function discountTransferId(playerId: string, number: number): string {
  return `discount.${createHash("sha256").update(`${playerId}\n${number}`).digest("base64url")}`;
}
