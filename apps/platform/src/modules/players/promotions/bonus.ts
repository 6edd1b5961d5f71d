import { sql } from "kysely";
import type { ClaimDeps, Claimed } from "./claim.ts";
import { refused } from "./claim.ts";

/** Takes the oldest open grant of the player, in one call of the database. Refuses with: claim.nothing. */
export async function claimBonus({ db }: Pick<ClaimDeps, "db">, playerId: string): Promise<Claimed> {
  const { rows } = await sql<{ problem: "claim.nothing" | null; amount: number }>`
    select * from claim_bonus(${playerId})`.execute(db);
  const [answer] = rows;
  if (answer === undefined) throw new Error("claim_bonus gave no row");
  return answer.problem === null ? { is: "claimed", amountMinor: answer.amount } : refused(answer.problem);
}
