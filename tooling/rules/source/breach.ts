/** One broken rule of the repository, with a sentence that says what to do. */
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
