import { createHash } from "node:crypto";
import type { Problem } from "@longarm/contract/problems";
import { runTransaction } from "@longarm/database/run-transaction";
import type { Ledger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Kysely, Transaction } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import { netLossOf } from "../../play/seat/index.ts";
import type { PlayTables } from "../../play/tables.ts";
import type { PromotionsTables } from "./grants.ts";

/** What became of a claim. Amounts in minor units. */
export type Claimed =
  | { readonly is: "claimed"; readonly amountMinor: number }
  | { readonly is: "refused"; readonly problem: Problem };

export type ClaimDeps = { readonly db: Kysely<PromotionsTables>; readonly ledger: Ledger };
export type ClaimTransaction = Transaction<PromotionsTables>;

/**
 * Runs one claim in a transaction of its own, under the player's row: claims of one player run one after the other, on all nodes. The lock is the weak
 * one, so that rows which only refer to the player are still written meanwhile.
 */
export async function underPlayerLock(
  { db, ledger }: ClaimDeps,
  playerId: string,
  claim: (trx: ClaimTransaction, books: Ledger) => Promise<Claimed>,
): Promise<Claimed> {
  return await runTransaction(db, async (trx) => {
    await trx.selectFrom("player").select("id").where("id", "=", playerId).forNoKeyUpdate().executeTakeFirstOrThrow();
    return await claim(trx, ledger.within(trx));
  });
}

export type Gift = {
  /** Always the same for the same claim: the ledger pays an id once. */
  readonly transferId: string;
  readonly kind: "discount" | "bonus";
  readonly playerId: string;
  readonly amountMinor: number;
  readonly about: Readonly<Record<string, string | number>>;
};

/** Moves a claim from the promotions account to the wallet. @throws Error when the ledger refuses: nothing of the claim is written then. */
export async function pay(books: Ledger, { transferId, kind, playerId, amountMinor, about }: Gift): Promise<Claimed> {
  const moved = await books.transfer({
    id: transferId,
    kind,
    from: "promotions",
    to: playerAccount(playerId),
    amountMinor,
    about: { actor: `player:${playerId}`, ...about },
  });
  if (moved.is === "refused") throw new Error(`the ${kind} ${transferId} cannot be paid: ${moved.problem.detail}`);
  return { is: "claimed", amountMinor };
}

export function refused(name: Problem["name"], more: Omit<Problem, "name"> = {}): Claimed {
  return { is: "refused", problem: { name, ...more } };
}

/** Takes the oldest open grant of the player, in one call of the database. Refuses with: claim.nothing. */
export async function claimBonus({ db }: Pick<ClaimDeps, "db">, playerId: string): Promise<Claimed> {
  const { rows } = await sql<{ problem: "claim.nothing" | null; amount: number }>`
    select * from claim_bonus(${playerId})`.execute(db);
  const [answer] = rows;
  if (answer === undefined) throw new Error("claim_bonus gave no row");
  return answer.problem === null ? { is: "claimed", amountMinor: answer.amount } : refused(answer.problem);
}

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
  return await underPlayerLock(deps, playerId, async (trx, books) => {
    const last = await lastClaim(trx, playerId, rules.periodS);
    if (last && last.seconds > 0) return refused("claim.claimed", { params: { seconds: last.seconds } });
    const { availableMinor } = await books.account(playerAccount(playerId));
    if (rules.balanceBelowMinor !== null && availableMinor >= rules.balanceBelowMinor)
      return refused("claim.nothing", { detail: "the balance is not below DISCOUNT_BALANCE_BELOW" });
    const loss = await netLossOf(trx.withTables<PlayTables>(), playerId);
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

/** The last claim and how long until the next one, judged now: a claim that waited for the lock began before the claim it waited for. */
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

/** The ledger's id of one discount of a player. Hashed, since ids of players may be as long as those of the ledger. */
function discountTransferId(playerId: string, number: number): string {
  return `discount.${createHash("sha256").update(`${playerId}\n${number}`).digest("base64url")}`;
}
