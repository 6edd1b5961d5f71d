import { databaseNow } from "../../play-base/database-time.ts";
import type { ClaimDeps, Claimed } from "./claim.ts";
import { inTurn, pay, refused } from "./claim.ts";

/** Takes the oldest open grant of the player. Refuses with: claim.nothing. */
export async function claimBonus(deps: ClaimDeps, playerId: string): Promise<Claimed> {
  return await inTurn(deps, playerId, async (trx, books) => {
    const grant = await trx
      .selectFrom("bonus_grant")
      .select(["id", "amount", "reason", "granted_by"])
      .where("player_id", "=", playerId)
      .where("claimed_at", "is", null)
      .where((row) => row.or([row("expires_at", "is", null), row("expires_at", ">", databaseNow())]))
      .orderBy("granted_at")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    if (!grant) return refused("claim.nothing");
    const transferId = `bonus:${grant.id}`;
    await trx
      .updateTable("bonus_grant")
      .set({ claimed_at: databaseNow(), transfer_id: transferId })
      .where("id", "=", grant.id)
      .execute();
    const about = { reason: grant.reason, grantedBy: grant.granted_by };
    return await pay(books, { transferId, kind: "bonus", playerId, amountMinor: grant.amount, about });
  });
}
