import type { EgmTransferAnswer } from "@longarm/contract/agent-link";
import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import type { Journal } from "../journal/journal.ts";
import type { Egm } from "../ports/egm.ts";

type WireRecord = ReturnType<typeof wireRecord>;

function wireRecord(record: "done" | "refused" | "pending" | "neverSeen", amount = 0) {
  return { record, amount } satisfies Parameters<typeof EgmTransferAnswer.parse>[0];
}

export type ReadBackDeps = {
  readonly machineId: string;
  readonly egm: Egm;
  readonly journal: Journal;
  /** The command of this id waits or runs right now. */
  readonly underWay: (transferId: string) => boolean;
  /** Decides an open intent by the machine's record, in the machine's turn. */
  readonly settle: (transferId: string) => Promise<void>;
  /** Ids being promised as never seen; commands for them are refused from the first moment on. */
  readonly promising: Set<string>;
};

/**
 * `egm.transfer`: what is known of an id. Answering `neverSeen` is a promise, durable before it is given.
 * Refuses with: machine.unreachable (the machine or the journal cannot be asked now).
 */
export async function readBack(deps: ReadBackDeps, transferId: string): Promise<Handled<WireRecord>> {
  if (deps.underWay(transferId)) return done(wireRecord("pending"));
  const memory = deps.journal.machine(deps.machineId);
  if (memory.transfers.has(transferId)) return done(await ofIntent(deps, transferId));
  if (memory.forgotten.has(transferId)) return done(wireRecord("neverSeen"));
  return await promiseNeverSeen(deps, transferId);
}

async function ofIntent(deps: ReadBackDeps, transferId: string): Promise<WireRecord> {
  const memory = deps.journal.machine(deps.machineId);
  if (memory.transfers.get(transferId)?.outcome === undefined) await deps.settle(transferId);
  const outcome = memory.transfers.get(transferId)?.outcome;
  return outcome === undefined ? wireRecord("pending") : wireRecord(outcome.outcome, outcome.amount);
}

async function promiseNeverSeen(deps: ReadBackDeps, transferId: string): Promise<Handled<WireRecord>> {
  const { machineId, egm, journal, promising } = deps;
  promising.add(transferId);
  try {
    // The journal may be younger than the machine's memory (a new box beside an old machine), so the machine is asked too.
    const record = await egm.transfer(transferId);
    if (record.state !== "neverSeen") return done(wireRecord(record.state, record.amount));
    await journal.append({ t: "forgotten", m: machineId, id: transferId });
    return done(wireRecord("neverSeen"));
  } catch (error) {
    return refused("machine.unreachable", { detail: error instanceof Error ? error.message : String(error) });
  } finally {
    promising.delete(transferId);
  }
}
