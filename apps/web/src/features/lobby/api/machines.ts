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
  });
}

/** The machines of one brand, or all of them. */
export function machinesQuery({ api, refreshMs, pushed, onSeen }: LobbySource, brandId: string | undefined) {
  return queryOptions({
    queryKey: [LOBBY, "machines", brandId ?? "all"],
    queryFn: async ({ signal }): Promise<readonly LobbyMachine[]> => {
      const keepNewer = pushed.begin();
      const list =
        brandId === undefined
          ? dataOf(await api.call("allMachines", { signal }))
          : dataOf(await api.call("machinesOfBrand", { path: { brandId }, signal }));
      const machines = keepNewer("machines" in list ? list.machines : list);
      onSeen(machines);
      return machines;
    },
    refetchInterval: refreshMs,
  });
}

/** Writes a pushed status into every list that holds the machine. All other machines stay the same objects, so one card draws again. */
export function writeStatus(cache: QueryClient, id: string, status: number): void {
  cache.setQueriesData<readonly LobbyMachine[]>({ queryKey: [LOBBY, "machines"] }, (machines) => {
    const changed = machines?.some((machine) => machine.id === id && machine.status !== status);
    if (!machines || !changed) return machines;
    return machines.map((machine) => (machine.id === id ? { ...machine, status } : machine));
  });
}

/** What is kept for whom has changed: the lists are asked again. */
export function refreshMachines(cache: QueryClient): void {
  void cache.invalidateQueries({ queryKey: [LOBBY, "machines"] });
}
