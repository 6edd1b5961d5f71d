import type { Balance } from "@longarm/contract/notification-socket";
import { machineAccount, playerAccount } from "@longarm/ledger/rules/address";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";

/**
 * A player's wallet: what can be spent, what stands on a machine and what is being checked. The three always add up to what is the
 * player's, read in one snapshot.
 */
export async function balanceOf(
  { db, ledger }: Pick<PlayPartDeps, "db" | "ledger">,
  playerId: string,
): Promise<Balance> {
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      const seat = await trx
        .selectFrom("seat")
        .select("machine_id")
        .where("player_id", "=", playerId)
        .executeTakeFirst();
      const open = await trx
        .selectFrom("machine_transfer")
        .select(["direction", "asked", "expected"])
        .where("player_id", "=", playerId)
        .where("state", "in", ["asking", "unknown"])
        .execute();
      const books = ledger.within(trx);
      const wallet = await books.account(playerAccount(playerId));
      const credits = seat ? (await books.account(machineAccount(seat.machine_id))).balanceMinor : 0;
      const leaving = open
        .filter(({ direction }) => direction === "cashOut")
        .reduce((sum, { expected }) => sum + expected, 0);
      const onMachine = Math.max(0, credits - leaving);
      // A machine may have played with credits whose transfer is not booked yet: its account is below zero until then.
      const pending = Math.max(0, wallet.heldMinor + credits - onMachine);
      return {
        balance: wallet.availableMinor,
        ...(seat && { onMachine }),
        ...(open.length > 0 && { pending }),
      };
    });
}
