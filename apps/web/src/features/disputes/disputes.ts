import type { DisputeAnswer, DisputeKind } from "@longarm/contract/player-disputes";
import { disputeCalls } from "@longarm/contract/player-disputes";
import { GameId } from "@longarm/contract/player-record";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import * as z from "zod/mini";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";

export type DisputesApi = Pick<ApiClient, "make">;

/** The word of the address for all questions. No id of a game is like it. */
const ALL_QUESTIONS = "all";

/** What of questions an address names: all, or that about one game by the id of the game; undefined: nothing. */
export function questionIn({ question }: Readonly<Record<string, unknown>>): { readonly game?: string } | undefined {
  if (question === ALL_QUESTIONS) return {};
  const game = z.safeParse(GameId, question);
  return game.success ? { game: game.data } : undefined;
}

/** What staff does shows here without a reload, ms. */
const AGAIN_MS = 15_000;
const LIST = ["disputes"];
const keyOf = (game: string) => ["dispute", game];

/** A game of the player with the question about it. `missing`: there is no such game, or the platform has no questions. */
export function useDispute(api: DisputesApi, game: string) {
  return useQuery({
    queryKey: keyOf(game),
    queryFn: async ({ signal }) => {
      const answer = await api.make(disputeCalls.dispute, { path: { id: game }, signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? ("missing" as const) : dataOf(answer);
    },
    refetchInterval: AGAIN_MS,
  });
}

/** The player's questions, the newest first. A platform without them answers 404. */
export function useDisputes(api: DisputesApi) {
  return useQuery({
    queryKey: LIST,
    queryFn: async ({ signal }) => {
      const answer = await api.make(disputeCalls.disputes, { signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? ("absent" as const) : dataOf(answer).disputes;
    },
  });
}

/** What a player does with the question of a game; each answers the failure, or nothing. */
export function useDisputeActs(api: DisputesApi, game: string) {
  const queries = useQueryClient();
  type Answer =
    | { readonly ok: true; readonly data: DisputeAnswer }
    | { readonly ok: false; readonly failure: ApiFailure };
  async function taken(answer: Answer): Promise<ApiFailure | undefined> {
    if (answer.ok) queries.setQueryData(keyOf(game), answer.data);
    else await queries.invalidateQueries({ queryKey: keyOf(game) });
    await queries.invalidateQueries({ queryKey: LIST });
    return answer.ok ? undefined : answer.failure;
  }
  return {
    ask: async (kind: DisputeKind, words: string) => {
      const body = { game, kind, ...(words !== "" && { words }) };
      return await taken(await api.make(disputeCalls.askDispute, { body }));
    },
    add: async (text: string) => await taken(await api.make(disputeCalls.addToDispute, { body: { game, text } })),
    read: async () => await taken(await api.make(disputeCalls.readDispute, { body: { game } })),
  };
}
