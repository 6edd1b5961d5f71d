import type { PaymentKind } from "@longarm/contract/payments";
import type { Problem } from "@longarm/contract/problems";
import type { AnyDb } from "../../deps.ts";
import { depositProblem } from "../play/limits.ts";
import { breakOf, breakProblem } from "../protection/breaks/index.ts";
import { moneyProblem } from "../protection/gates/index.ts";
import type { LimitsTables } from "../protection/limits/index.ts";
import { limitsOf } from "../protection/limits/index.ts";

/** More than any wallet moves. */
const ALL = 9_000_000_000_000;
/** The least amount: what refuses it refuses every other. */
const LEAST = 1;

/**
 * Why a player's money may not move this way; null: it may. Withdrawing always may, but for a proof that the market wants before it.
 * Problems: those of `moneyProblem`, player.excluded, player.on_break, player.closed, limit.deposit.
 */
export async function paymentProblem(
  db: AnyDb,
  playerId: string,
  { kind, amount = LEAST }: { readonly kind: PaymentKind; readonly amount?: number },
): Promise<Problem | null> {
  const unproved = await moneyProblem(db, playerId, kind);
  if (unproved !== null || kind === "withdrawal") return unproved;
  const limited = db.withTables<LimitsTables>();
  const { exclusion } = await limitsOf(limited, { playerId });
  if (exclusion !== null) return { name: "player.excluded", params: { until: new Date(exclusion).toISOString() } };
  const onBreak = await breakOf(db, playerId);
  if (onBreak !== undefined && onBreak.kind !== "forced") return breakProblem(onBreak);
  return await depositProblem(limited, playerId, amount);
}

/** What the deposit limits leave, minor units; null: there is none. */
export async function depositLeft(db: AnyDb, playerId: string): Promise<number | null> {
  const left = (await depositProblem(db.withTables<LimitsTables>(), playerId, ALL))?.params?.["left"];
  return typeof left === "number" ? left : null;
}
