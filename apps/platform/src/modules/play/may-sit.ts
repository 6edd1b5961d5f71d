import type { Problem } from "@longarm/contract/problems";
import { playerAccount } from "@longarm/ledger/rules/address";
import { playProblem } from "../protection/gates/index.ts";
import type { LimitsTables } from "../protection/limits/index.ts";
import type { PlayDeps } from "./deps.ts";
import { sitProblem } from "./limits.ts";
import type { PlayTransaction } from "./tables.ts";

/**
 * Why a player may not sit down at a machine, also while another player sits there; null: may. Problems: those of `playProblem` and `sitProblem`, and
 * wallet.insufficient_funds (an empty wallet, where that is forbidden).
 */
export async function mayNotSit(
  deps: Pick<PlayDeps, "config" | "ledger" | "helpListed" | "askRegisters">,
  trx: PlayTransaction,
  who: { readonly playerId: string; readonly machineId: string },
): Promise<Problem | null> {
  const closed = await playProblem(trx, { ...who, helpListed: deps.helpListed(), gate: "sit" });
  const problem = closed ?? (await sitProblem(trx.withTables<LimitsTables>(), who));
  if (problem?.name === "register.unanswered") deps.askRegisters(who.playerId, who.machineId);
  if (problem !== null || deps.config.play.ALLOW_ZERO_BALANCE) return problem;
  const { availableMinor } = await deps.ledger.within(trx).account(playerAccount(who.playerId));
  return availableMinor > 0 ? null : { name: "wallet.insufficient_funds" };
}
