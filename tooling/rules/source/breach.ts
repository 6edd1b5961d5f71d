/** One broken house rule, told so that its reader knows what to do. */
export interface Breach {
  /** Path from the repository's root. */
  path: string;
  /** From 1; absent when the whole file is meant. */
  line?: number;
  sentence: string;
}

export const tellBreach = ({ path, line, sentence }: Breach): string =>
  `${path}${line === undefined ? "" : `:${line}`} ${sentence}`;

/** For `expect(tellBreaches(…)).toEqual([])`, so that a failing test prints the sentences. */
export const tellBreaches = (breaches: Breach[]): string[] => breaches.map(tellBreach).sort();
