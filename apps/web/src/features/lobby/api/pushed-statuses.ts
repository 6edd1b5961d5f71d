import type { LobbyMachine } from "@longarm/contract/machine";

/** Statuses told by push, so that a list that was asked for before a push does not undo it when it arrives after. */
export type PushedStatuses = {
  add(id: string, status: number): void;
  /** Call before asking; apply the returned function to the list that was answered. */
  begin(): (machines: readonly LobbyMachine[]) => readonly LobbyMachine[];
};

/** More machines than any house has: of ids beyond it the oldest are forgotten, so that no flood of pushes fills the memory. */
export const PUSHED_MAX = 20_000;

export function createPushedStatuses(): PushedStatuses {
  const latest = new Map<string, { readonly turn: number; readonly status: number }>();
  let turn = 0;
  return {
    add(id, status) {
      turn += 1;
      // Set anew, an id is the youngest.
      latest.delete(id);
      latest.set(id, { turn, status });
      const [oldest] = latest.size > PUSHED_MAX ? latest.keys() : [];
      if (oldest !== undefined) latest.delete(oldest);
    },
    begin() {
      const begun = turn;
      return (machines) =>
        machines.map((machine) => {
          const pushed = latest.get(machine.id);
          return pushed !== undefined && pushed.turn > begun ? { ...machine, status: pushed.status } : machine;
        });
    },
  };
}
