import type { IdentityGate } from "@longarm/contract/player-identity";
import type { Problem } from "@longarm/contract/problems";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import { breakOf, breakProblem, isOnBreak } from "../breaks/index.ts";
import { hasOpenCase } from "../cases/index.ts";
import { identitiesOf, identityOf, identityProblem, mayBeTooYoung } from "../identity/index.ts";
import type { MarketTables } from "../markets/index.ts";
import { mayWantProof, rulesOf, rulesOfAll } from "../markets/index.ts";
import { isInRegister, registerProblem } from "../registers/index.ts";
import { termsProblem } from "../terms/index.ts";

/** Who wants to play where. `helpListed`: players can see at least one organisation that helps. */
export type PlayWanted = { readonly playerId: string; readonly machineId: string; readonly helpListed: boolean };

/**
 * Why a player may neither sit down nor put money onto a machine, whatever the limits say; null: may.
 * Problems: player.on_break, player.excluded, player.closed, identity.required, identity.pending, identity.refused, player.too_young,
 * register.excluded, register.unanswered, help.missing, terms.pending.
 */
export async function playProblem(db: AnyDb, { playerId, machineId, helpListed }: PlayWanted): Promise<Problem | null> {
  const onBreak = await breakOf(db, playerId);
  if (onBreak !== undefined) return breakProblem(onBreak);
  const rules = await rulesOf(db.withTables<MarketTables>(), { playerId, machineId });
  if (rules.helpBeforePlay && !helpListed) return { name: "help.missing" };
  return (
    identityProblem(await identityOf(db, playerId), "play", rules) ??
    (await termsProblem(db, playerId, "play", rules)) ??
    (await registerProblem(db, playerId, rules))
  );
}

/**
 * Why a player is kept away from what invites to play: promotions, and watching others; null: is not. The break after long play keeps away from play
 * alone. Problems: player.on_break, player.excluded, player.closed, register.excluded.
 */
export async function invitationProblem(db: AnyDb, playerId: string): Promise<Problem | null> {
  const onBreak = await breakOf(db, playerId);
  if (onBreak !== undefined && onBreak.kind !== "forced") return breakProblem(onBreak);
  return await registerProblem(db, playerId, { registers: [] });
}

/** For queries of other rooms: whether the player of the column `id` gets no promotion now: who is kept from play, and who has an open case. */
export function getsNoPromotion(id: string): RawBuilder<boolean> {
  return sql<boolean>`(${isKeptOut(id)} or ${hasOpenCase(id)})`;
}

/** For queries of other rooms: whether a break, or a national register, keeps the player of the column `id` from play now. */
export function isKeptOut(id: string): RawBuilder<boolean> {
  return sql<boolean>`(${isOnBreak(id)} or ${isInRegister(id)})`;
}

/** For queries of other rooms: whether the player of the column `id` may lack the age or the proof of identity that a market wants. `unprovedAt` decides. */
export const mayBeUnproved = (id: string): RawBuilder<boolean> =>
  sql<boolean>`(${mayBeTooYoung(id)} or ${mayWantProof()})`;

/**
 * Of players at machines, the machines of those who are sent home: too young in any market; refused, or with a document that has expired, where the
 * rules want a proof before play. Who has proved nothing yet, because a market was chosen during play, ends it without new money. The same two
 * statements for all.
 */
export async function unprovedAt(
  db: AnyDb,
  held: readonly { readonly playerId: string; readonly machineId: string }[],
): Promise<ReadonlySet<string>> {
  if (held.length === 0) return new Set();
  const rules = await rulesOfAll(db.withTables<MarketTables>(), held);
  const identities = await identitiesOf(db, [...new Set(held.map(({ playerId }) => playerId))]);
  return new Set(
    held.flatMap(({ playerId, machineId }, at) => {
      const [identity, own] = [identities.get(playerId), rules[at]];
      if (identity === undefined || own === undefined) return [];
      const problem = identityProblem(identity, "play", own);
      const isOver = identity.state === "refused" || identity.state === "expired";
      return problem !== null && (isOver || problem.name === "player.too_young") ? [machineId] : [];
    }),
  );
}

/** Why money may not go into a player's wallet, or out of it, for want of a proof of identity, of accepted terms or of a clear register; null: it may. Problems: those of identity, terms and registers. */
export async function moneyProblem(
  db: AnyDb,
  playerId: string,
  gate: Exclude<IdentityGate, "play">,
): Promise<Problem | null> {
  const rules = await rulesOf(db.withTables<MarketTables>(), { playerId });
  const unproved = identityProblem(await identityOf(db, playerId), gate, rules);
  if (unproved !== null || gate === "withdrawal") return unproved;
  return (await termsProblem(db, playerId, gate, rules)) ?? (await registerProblem(db, playerId, rules));
}
