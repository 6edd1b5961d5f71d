import type { Problem } from "@longarm/contract/problems";
import { runTransaction } from "@longarm/database/run-transaction";
import type { Ledger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Kysely, Transaction } from "kysely";
import type { PromotionsTables } from "./tables.ts";

/** What became of a claim. Amounts in minor units. */
export type Claimed =
  | { readonly is: "claimed"; readonly amountMinor: number }
  | { readonly is: "refused"; readonly problem: Problem };

export type ClaimDeps = { readonly db: Kysely<PromotionsTables>; readonly ledger: Ledger };
export type ClaimTransaction = Transaction<PromotionsTables>;

/**
 * Runs one claim in a transaction of its own, under the player's row: claims of one player take turns, on all nodes. The lock is the weak
 * one, so that rows which only refer to the player are still written meanwhile.
 */
export async function inTurn(
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
