export { createTerms } from "./player-routes.ts";
export type { NewTerms, TermsTables, TermsVersion } from "./terms.ts";
export { addTerms, listTerms, termsDue, termsProblem, wordsIn } from "./terms.ts";
