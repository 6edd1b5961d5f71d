import type { Problem } from "@longarm/contract/problems";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import { breakOf, breakProblem, isOnBreak } from "../breaks/index.ts";
import { identityOf, identityProblem } from "../identity/index.ts";
import type { IdentityGate, MarketTables } from "../markets/index.ts";
import { rulesOf } from "../markets/index.ts";
import { isInRegister, registerProblem } from "../registers/index.ts";

/** Who wants to play where. `helpListed`: players can see at least one organisation that helps. */
export type PlayWanted = { readonly playerId: string; readonly machineId: string; readonly helpListed: boolean };

/**
 * Why a player may neither sit down nor put money onto a machine, whatever the limits say; null: may.
 * Problems: player.on_break, player.excluded, player.closed, identity.required, identity.pending, identity.refused, player.too_young,
 * register.excluded, register.unanswered, help.missing.
 */
export async function playProblem(db: AnyDb, { playerId, machineId, helpListed }: PlayWanted): Promise<Problem | null> {
  const onBreak = await breakOf(db, playerId);
  if (onBreak !== undefined) return breakProblem(onBreak);
  const rules = await rulesOf(db.withTables<MarketTables>(), { playerId, machineId });
  if (rules.helpBeforePlay && !helpListed) return { name: "help.missing" };
  return identityProblem(await identityOf(db, playerId), "play", rules) ?? (await registerProblem(db, playerId, rules));
}

/** For queries of other rooms: whether a break, or a national register, keeps the player of the column `id` from play now. */
export function isKeptOut(id: string): RawBuilder<boolean> {
  return sql<boolean>`(${isOnBreak(id)} or ${isInRegister(id)})`;
}

/** Why money may not go into a player's wallet, or out of it, for want of a proof of identity or of a clear register; null: it may. Problems: those of identity and registers. */
export async function moneyProblem(
  db: AnyDb,
  playerId: string,
  gate: Exclude<IdentityGate, "play">,
): Promise<Problem | null> {
  const rules = await rulesOf(db.withTables<MarketTables>(), { playerId });
  const unproved = identityProblem(await identityOf(db, playerId), gate, rules);
  return unproved ?? (gate === "deposit" ? await registerProblem(db, playerId, rules) : null);
}
