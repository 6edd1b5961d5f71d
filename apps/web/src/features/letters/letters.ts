import { letterCalls } from "@longarm/contract/player-care";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";

export type LettersApi = Pick<ApiClient, "make">;

const KEY = ["letters"];

/** Letters of staff to the player, the newest first. A platform without them answers 404. */
export function useLetters(api: LettersApi) {
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const answer = await api.make(letterCalls.letters, { signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? "absent" : dataOf(answer);
    },
  });
}

/** Puts a letter away: it is shown by itself no more. A failure shows it once more at the next sign-in, which harms no one. */
export function usePutAway(api: LettersApi) {
  const queries = useQueryClient();
  return async (id: string) => {
    const answer = await api.make(letterCalls.readLetter, { body: { id } });
    if (answer.ok) queries.setQueryData(KEY, answer.data);
  };
}
