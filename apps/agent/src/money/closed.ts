import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import type { Journal } from "../journal/journal.ts";
import { rememberDeclined } from "../journal/state.ts";
import { withRefusal } from "./ask-machine.ts";
import type { Direction, MoneyAnswer, MoneyAsk } from "./desk.ts";

/**
 * A money command while the machine's driver is closed: only the journal can be asked. An unknown id is `refused`, for nothing was sent;
 * one whose outcome is open is `unknown`. Refuses with: transfer.id_conflict.
 */
export function orderWhileClosed(
  journal: Journal,
  machineId: string,
  direction: Direction,
  ask: MoneyAsk,
): Handled<MoneyAnswer> {
  const memory = journal.machine(machineId);
  const known = memory.transfers.get(ask.transferId);
  const reason = "the machine cannot be reached";
  if (known === undefined) {
    rememberDeclined(memory, ask.transferId);
    return done({ outcome: "refused", amount: 0, refusal: "unreachable", reason });
  }
  if (known.direction !== direction || known.amount !== (ask.amount ?? null)) return refused("transfer.id_conflict");
  return done(known.outcome ? withRefusal(known.outcome) : { outcome: "unknown", amount: 0, reason });
}

/** A read-back while the driver is closed. Refuses with: machine.unreachable, when the journal alone cannot tell. */
export function readBackWhileClosed(journal: Journal, machineId: string, transferId: string) {
  const memory = journal.machine(machineId);
  const outcome = memory.transfers.get(transferId)?.outcome;
  if (outcome !== undefined) return done({ record: outcome.outcome, amount: outcome.amount });
  if (memory.forgotten.has(transferId)) return done({ record: "neverSeen" as const, amount: 0 });
  return refused("machine.unreachable");
}
