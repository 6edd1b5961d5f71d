import type { LobbyMachine } from "@longarm/contract/machine";

/** A list never changes, so its index is made once. */
const indexes = new WeakMap<readonly LobbyMachine[], ReadonlyMap<string, LobbyMachine>>();

/** A machine of a list by its id. */
export function machineIn(machines: readonly LobbyMachine[] | undefined, id: string): LobbyMachine | undefined {
  if (machines === undefined) return undefined;
  const known = indexes.get(machines) ?? new Map(machines.map((machine) => [machine.id, machine]));
  indexes.set(machines, known);
  return known.get(id);
}
