import { GameId, RECALLED_GAMES, recordCalls } from "@longarm/contract/player-record";
import { useQuery } from "@tanstack/react-query";
import * as z from "zod/mini";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";

type RecallApi = Pick<ApiClient, "make">;

/** What of the recall an address names: the last games, or one game by its id. */
export type Recalled = { readonly is: "last" } | { readonly is: "game"; readonly id: string };

/** The word of the address for the last games. No id of a game is like it. */
export const LAST_GAMES = "last";

/** What the query of an address names; undefined: nothing. */
export function recalledIn({ game }: Readonly<Record<string, unknown>>): Recalled | undefined {
  if (game === LAST_GAMES) return { is: "last" };
  const id = z.safeParse(GameId, game);
  return id.success ? { is: "game", id: id.data } : undefined;
}

/** A game of a listing is as it was: it is fetched once while the page is open. */
const FRESH_MS = 10_000;

/** The last games of the player, or of one play session. A platform that recalls none answers 404: `absent`. */
export function useLastGames(api: RecallApi, session: string | undefined, isWanted: boolean) {
  return useQuery({
    queryKey: ["history", "games", session],
    queryFn: async ({ signal }) => {
      const answer = await api.make(recordCalls.games, { query: { session }, signal });
      return !answer.ok && answer.failure.httpStatus === 404
        ? ("absent" as const)
        : dataOf(answer).games.slice(0, RECALLED_GAMES);
    },
    enabled: isWanted,
    // Beside a game, further games end while it is open.
    refetchInterval: session === undefined && FRESH_MS,
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
  });
}

/** One game; `missing`: the player has none of this id. */
export function useGame(api: RecallApi, id: string | undefined) {
  return useQuery({
    queryKey: ["history", "game", id],
    queryFn: async ({ signal }) => {
      const answer = await api.make(recordCalls.game, { path: { id: id ?? "" }, signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? ("missing" as const) : dataOf(answer);
    },
    enabled: id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
