import type { Problem } from "@longarm/contract/problems";
import type { AnyDb } from "../../../deps.ts";
import { breakOf, breakProblem } from "../breaks/index.ts";

/**
 * Why a player may neither sit down nor put money onto a machine, whatever the limits say; null: may.
 * Problems: player.on_break, player.excluded, player.closed.
 */
export async function playProblem(db: AnyDb, playerId: string): Promise<Problem | null> {
  const onBreak = await breakOf(db, playerId);
  return onBreak === undefined ? null : breakProblem(onBreak);
}
