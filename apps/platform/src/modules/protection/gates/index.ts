import type { IdentityGate } from "@longarm/contract/player-identity";
import type { Problem } from "@longarm/contract/problems";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import { disputedOf, hasOpenDispute, isInDispute } from "../../payments/book/index.ts";
import { breakOf, breakProblem, isOnBreak } from "../breaks/index.ts";
import { hasOpenCase } from "../cases/index.ts";
import type { Identity } from "../identity/index.ts";
import { identitiesOf, identityOf, identityProblem, mayBeTooYoung } from "../identity/index.ts";
import type { OfferGate } from "../limits/index.ts";
import { offerProblem } from "../limits/index.ts";
import type { MarketTables, Rules } from "../markets/index.ts";
import { mayClosePlay, rulesOf, rulesOfAll } from "../markets/index.ts";
import { isInRegister, registerProblem, staleRegistersOf } from "../registers/index.ts";
import { termsProblem } from "../terms/index.ts";

/** Who wants to play where. `helpListed`: players can see at least one organisation that helps. */
export type PlayWanted = {
  readonly playerId: string;
  readonly machineId: string;
  readonly helpListed: boolean;
  /** A seat, or money onto the machine. */
  readonly gate: OfferGate;
};

/**
 * Why a player may neither sit down nor put money onto a machine, whatever the limits say; null: may.
 * Problems: player.on_break, player.excluded, player.closed, identity.required, identity.pending, identity.refused, player.too_young,
 * register.excluded, register.unanswered, help.missing, terms.pending, limits.unanswered, payment.disputed.
 */
export async function playProblem(
  db: AnyDb,
  { playerId, machineId, helpListed, gate }: PlayWanted,
): Promise<Problem | null> {
  const onBreak = await breakOf(db, playerId);
  if (onBreak !== undefined) return breakProblem(onBreak);
  if (await hasOpenDispute(db, playerId)) return { name: "payment.disputed" };
  const rules = await rulesOf(db.withTables<MarketTables>(), { playerId, machineId });
  if (rules.helpBeforePlay && !helpListed) return { name: "help.missing" };
  return (
    identityProblem(await identityOf(db, playerId), "play", rules) ??
    (await termsProblem(db, playerId, "play", rules)) ??
    (await registerProblem(db, playerId, rules)) ??
    (await offerProblem(db, playerId, gate, rules))
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

/** For queries of other rooms: whether something that play needs may be lost for the player of the column `id`. `gatesClosedAt` decides. */
export const mayLoseGate = (id: string): RawBuilder<boolean> =>
  sql<boolean>`(${mayBeTooYoung(id)} or ${mayClosePlay()} or ${isInDispute(id)})`;

/** What was lost of what opens play. */
export type ClosedGate = "payment" | "identity" | "register" | "help";

/**
 * Of players at machines, those who are sent home because a gate has closed behind them, by machine: money that went back to a provider; too young in any market; refused, or with a
 * document that has expired, where the rules want a proof; a register's clear answer that is too old; no organisation listed any more. Who has proved
 * nothing yet, or whom a register never cleared, because a market was chosen during play, ends it without new money. The same statements for all.
 */
export async function gatesClosedAt(
  db: AnyDb,
  held: readonly { readonly playerId: string; readonly machineId: string }[],
  helpListed: boolean,
): Promise<ReadonlyMap<string, ClosedGate>> {
  if (held.length === 0) return new Map();
  const rules = await rulesOfAll(db.withTables<MarketTables>(), held);
  const playerIds = [...new Set(held.map(({ playerId }) => playerId))];
  const identities = await identitiesOf(db, playerIds);
  const disputed = await disputedOf(db, playerIds);
  const hasRegisters = rules.some(({ registers }) => registers.length > 0);
  const stale = hasRegisters ? await staleRegistersOf(db, playerIds) : new Map<string, readonly string[]>();
  const gateOf = (playerId: string, own: Rules): ClosedGate | null => {
    if (disputed.has(playerId)) return "payment";
    const identity = identities.get(playerId);
    if (identity !== undefined && hasLostProof(identity, own)) return "identity";
    if (own.registers.some((register) => stale.get(playerId)?.includes(register))) return "register";
    return own.helpBeforePlay && !helpListed ? "help" : null;
  };
  return new Map(
    held.flatMap(({ playerId, machineId }, at): [string, ClosedGate][] => {
      const own = rules[at];
      const gate = own === undefined ? null : gateOf(playerId, own);
      return gate === null ? [] : [[machineId, gate]];
    }),
  );
}

function hasLostProof(identity: Identity, rules: Rules): boolean {
  const problem = identityProblem(identity, "play", rules);
  const isOver = identity.state === "refused" || identity.state === "expired";
  return problem !== null && (isOver || problem.name === "player.too_young");
}

/** Why money may not go into a player's wallet, or out of it, for want of a proof of identity, of accepted terms, of a clear register or of an answer about limits; null: it may. Problems: those of identity, terms, registers and the offer of limits, payment.disputed. */
export async function moneyProblem(
  db: AnyDb,
  playerId: string,
  gate: Exclude<IdentityGate, "play">,
): Promise<Problem | null> {
  if (gate === "withdrawal" && (await hasOpenDispute(db, playerId))) return { name: "payment.disputed" };
  const rules = await rulesOf(db.withTables<MarketTables>(), { playerId });
  const unproved = identityProblem(await identityOf(db, playerId), gate, rules);
  if (unproved !== null || gate === "withdrawal") return unproved;
  return (
    (await termsProblem(db, playerId, gate, rules)) ??
    (await registerProblem(db, playerId, rules)) ??
    (await offerProblem(db, playerId, "money", rules))
  );
}
