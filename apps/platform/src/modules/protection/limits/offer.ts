import type { Problem } from "@longarm/contract/problems";
import type { ColumnType, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Rules } from "../markets/index.ts";
import { marketsOf, mayOfferLimits } from "../markets/index.ts";

/** What a player says when limits are offered. `set`: by setting one. */
export type OfferAnswer = "set" | "notNow";

/** `migrations/protection`: rows are only added, one for a player. */
export type LimitsOfferTables = {
  limits_offer_answer: {
    player_id: string;
    answer: OfferAnswer;
    markets: string;
    answered_at: ColumnType<Date, never, never>;
  };
};

/** Whether the player has neither answered the offer nor ever set a limit. */
const isUnanswered = (playerId: string): RawBuilder<boolean> => sql<boolean>`
  (not exists (select from limits_offer_answer o where o.player_id = ${playerId})
    and not exists (select from player_limit l where l.player_id = ${playerId} and l.owner = 'player' and l.kind <> 'exclusion'))`;

/** Whether limits are to be offered to the player: a market of the venue, of a machine or of the player says so, and there is no answer yet. */
export async function limitsOfferDue(db: AnyDb, playerId: string): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select (${mayOfferLimits(playerId)} and ${isUnanswered(playerId)}) as due`.execute(db);
  return rows[0]?.due === true;
}

/** What the answer opens. `sit`: a seat; `money`: money onto a machine, or into the wallet. */
export type OfferGate = "sit" | "money";

/**
 * Why a player who has not answered may not pass; null: may. A market that offers limits at registration wants the answer before play, one that offers
 * them at the first deposit before money. Problem: limits.unanswered.
 */
export async function offerProblem(
  db: AnyDb,
  playerId: string,
  gate: OfferGate,
  { limitsOffered }: Pick<Rules, "limitsOffered">,
): Promise<Problem | null> {
  if (limitsOffered === "onPage" || (limitsOffered === "firstDeposit" && gate === "sit")) return null;
  const { rows } = await sql<{ open: boolean }>`select ${isUnanswered(playerId)} as open`.execute(db);
  return rows[0]?.open === true ? { name: "limits.unanswered" } : null;
}

/** Keeps the player's answer with the markets that hold now; the first one stays. Where no market offers limits nothing is kept. */
export async function answerOffer(db: AnyDb, playerId: string, answer: OfferAnswer): Promise<void> {
  const markets = await marketsOf(db.withTables(), playerId);
  if (markets.length === 0) return;
  await db
    .withTables<LimitsOfferTables>()
    .insertInto("limits_offer_answer")
    .values({ player_id: playerId, answer, markets: markets.join(" ") })
    .onConflict((conflict) => conflict.column("player_id").doNothing())
    .execute();
}
