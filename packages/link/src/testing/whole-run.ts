/**
 * Whether each test has its longest form, as by `npm test -- all`. In each run a check by chance, or of all combinations, has a short form of the
 * same kind (decision 0129; the list is in CONTRIBUTING.md).
 */
export const WHOLE_RUN = process.env["LONGARM_TESTS"] === "all";

/** The cases of a table: all of them by `npm test -- all`, else the first ones. */
export const someOf = <Case>(count: number, cases: readonly Case[]): readonly Case[] =>
  WHOLE_RUN ? cases : cases.slice(0, count);

/** How often a check by chance draws: so often by `npm test -- all`, else a fifth of that. */
export const drawsOf = (whole: number): number => (WHOLE_RUN ? whole : Math.ceil(whole / 5));
