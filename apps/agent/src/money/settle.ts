import type { Journal } from "../journal/journal.ts";
import type { TransferEntry } from "../journal/state.ts";
import type { Egm } from "../ports/egm.ts";
import type { Decision } from "./ask-machine.ts";
import { readDecision } from "./ask-machine.ts";

/** Decides intents that a crash or a silent machine left open, by the machine's own record. Used in the machine's turn. */
export interface Settler {
  /** The outcome of an intent, read from the machine when the journal has none. */
  settle(id: string): Promise<Decision>;
  /** True when no intent is open any more. */
  settleAll(): Promise<boolean>;
  open(): TransferEntry[];
  /** Keeps a decision. Failing to is harmless: the intent stays open and the machine's record decides again. */
  keep(id: string, decision: Decision): Promise<void>;
}

export function createSettler({ machineId, egm, journal }: { machineId: string; egm: Egm; journal: Journal }): Settler {
  const { transfers } = journal.machine(machineId);

  const settler: Settler = {
    settle: async (id) => {
      const known = transfers.get(id)?.outcome;
      if (known !== undefined) return known;
      const decision = await readDecision(egm, id);
      await settler.keep(id, decision);
      return decision;
    },
    settleAll: async () => {
      for (const entry of settler.open()) await settler.settle(entry.id);
      return settler.open().length === 0;
    },
    open: () => [...transfers.values()].filter((entry) => entry.outcome === undefined),
    keep: async (id, decision) => {
      if (decision === "unknown") return;
      await journal.append({ t: "outcome", m: machineId, id, ...decision }).catch(() => undefined);
    },
  };
  return settler;
}
