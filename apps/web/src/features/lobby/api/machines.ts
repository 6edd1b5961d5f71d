import type { Brand, LobbyMachine } from "@longarm/contract/machine";
import type { QueryClient } from "@tanstack/react-query";
import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "../../../shared/api/client.ts";
import { dataOf } from "../../../shared/api/client.ts";
import type { PushedStatuses } from "./pushed-statuses.ts";

/** All keys of the lobby in the query cache begin with it. */
const LOBBY = "lobby";

export type LobbySource = {
  readonly api: ApiClient;
  /** Ms between refreshes; false: never. Nothing is fetched while the tab is hidden. */
  readonly refreshMs: number | false;
  /** Whoever wants to know the machines that were seen (the game needs a machine's own socket address). */
  readonly onSeen: (machines: readonly LobbyMachine[]) => void;
  readonly pushed: PushedStatuses;
};

export function brandsQuery({ api, refreshMs }: LobbySource) {
  return queryOptions({
    queryKey: [LOBBY, "brands"],
    queryFn: async ({ signal }): Promise<readonly Brand[]> => dataOf(await api.call("brands", { signal })),
    refetchInterval: refreshMs,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** The machines of one brand, or all of them. They are kept as long as the player is signed in: whoever comes back finds the floor as it was. */
export function machinesQuery({ api, refreshMs, pushed, onSeen }: LobbySource, brandId: string | undefined) {
  return queryOptions({
    queryKey: machinesKey(brandId),
    queryFn: async ({ signal }): Promise<readonly LobbyMachine[]> => {
      const keepNewer = pushed.begin();
      const list =
        brandId === undefined
          ? dataOf(await api.call("allMachines", { signal }))
          : dataOf(await api.call("machinesOfBrand", { path: { brandId }, signal }));
      const machines = keepNewer(eachOnce("machines" in list ? list.machines : list));
      onSeen(machines);
      return machines;
    },
    refetchInterval: refreshMs,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** Where the query cache holds a list of machines: of a brand, or all. */
export function machinesKey(brandId: string | undefined): readonly string[] {
  return [LOBBY, "machines", brandId ?? "all"];
}

/** An id that comes twice would be one card twice: the first row counts. */
function eachOnce(machines: readonly LobbyMachine[]): readonly LobbyMachine[] {
  const ids = new Set<string>();
  return machines.filter(({ id }) => !ids.has(id) && ids.add(id));
}

/** Writes pushed statuses into every list that holds the machines. All other machines stay the same objects, so only the told ones draw again. */
export function writeStatuses(cache: QueryClient, statuses: ReadonlyMap<string, number>): void {
  const told = (machine: LobbyMachine) => statuses.get(machine.id) ?? machine.status;
  cache.setQueriesData<readonly LobbyMachine[]>({ queryKey: [LOBBY, "machines"] }, (machines) => {
    if (!machines?.some((machine) => told(machine) !== machine.status)) return machines;
    return machines.map((machine) =>
      told(machine) === machine.status ? machine : { ...machine, status: told(machine) },
    );
  });
}

/** What is kept for whom has changed: the lists are asked again. */
export function refreshMachines(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: [LOBBY, "machines"] });
}
