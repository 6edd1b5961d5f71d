import { termsCalls } from "@longarm/contract/player-terms";
import type { Language } from "@longarm/contract/settings";
import type { QueryClient } from "@tanstack/react-query";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";

type Api = Pick<ApiClient, "make">;

/** Which versions there are, and which one waits. A platform without them answers 404. */
export function useTerms(api: Api, language: Language) {
  return useQuery({
    queryKey: ["terms", language],
    queryFn: async ({ signal }) => {
      const answer = await api.make(termsCalls.terms, { query: { language }, signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? "absent" : dataOf(answer);
    },
  });
}

/** The text of one version, in the language where there is one. */
export function useTermsText(api: Api, number: number, language: Language) {
  return useQuery({
    queryKey: ["termsText", number, language],
    queryFn: async ({ signal }) =>
      dataOf(await api.make(termsCalls.termsText, { path: { number: String(number) }, query: { language }, signal })),
  });
}

/** Accepts a version. What was read of the terms is read again. */
export function useAcceptTerms(api: Api) {
  const queries: QueryClient = useQueryClient();
  return async (number: number) => {
    const answer = await api.make(termsCalls.acceptTerms, { body: { number } });
    await queries.invalidateQueries({ queryKey: ["terms"] });
    await queries.invalidateQueries({ queryKey: ["termsText"] });
    return answer;
  };
}
