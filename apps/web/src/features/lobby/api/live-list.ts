import type { LobbyMachine } from "@longarm/contract/machine";
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { hashKey } from "@tanstack/react-query";
import type { Live } from "../../../shared/live/live.ts";

/** The machines of a list; undefined while they are not known. */
export type MachinesNow = readonly LobbyMachine[] | undefined;

/** A list of the query cache as live state: whoever draws a part of it draws again only when that part has changed. */
export function liveList(cache: QueryClient, queryKey: QueryKey): Live<MachinesNow> {
  const hash = hashKey(queryKey);
  const queries = cache.getQueryCache();
  const getState = () => queries.get<readonly LobbyMachine[]>(hash)?.state.data;
  return {
    getState,
    getInitialState: getState,
    subscribe(listener) {
      let was = getState();
      return queries.subscribe(({ query }) => {
        if (query.queryHash !== hash) return;
        const before = was;
        was = getState();
        if (was !== before) listener(was, before);
      });
    },
  };
}
